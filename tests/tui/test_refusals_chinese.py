"""Refused actions and broken files in Chinese: no English sentence is left of core's messages."""

from __future__ import annotations

import gzip
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len

from dgplay.core.errors import DgplayError
from dgplay.core.saving import load as load_state
from dgplay.core.sequences.dataset import DataOptions
from dgplay.core.sequences.loading import load
from dgplay.core.sequences.planners import METHOD_NAMES
from dgplay.core.wording import translated
from dgplay.tui.i18n import translator

SIZES = ((80, 24), (120, 40))


def english(text: str) -> list[str]:
    """Return words of English that follow one another; what is typed as it is does not count."""
    kept = re.sub("dgplay data|pip install|" + "|".join(METHOD_NAMES), "", text)
    return re.findall(r"[A-Za-z]{2,} [a-z]{2,}", kept)


def array(values: Any) -> bytes:
    made = io.BytesIO()
    np.save(made, np.array(values))
    return made.getvalue()


#: A file that cannot be read, and what is said of it.
FILES: dict[str, tuple[bytes, str]] = {
    "empty.txt": (b"", "是空的"),
    "field.jsonl": (
        b'{"foo": 3}\n',
        "field.jsonl:1：没有 length, input_ids, tokens, duration, text 中的字段；"
        "现有字段：foo；请用 --field 指定",
    ),
    "broken.jsonl": (
        b'{"length": 3}\n{bad\n',
        "broken.jsonl:2：第 2 列的 JSON 有错：这里该有双引号括起的键名",
    ),
    "list.jsonl": (b"[1]\n", "list.jsonl:1：该是对象，却是列表；JSONL 一行一个对象"),
    "text.jsonl": (b'{"length": "a"}\n', "字段 length 是文本，该是数"),
    "null.jsonl": (b'{"length": null}\n', "字段 length 是空值，该是数"),
    "zero.jsonl": (b'{"length": 012}\n', "第 13 列的 JSON 有错：这里该有逗号"),
    "fraction.jsonl": (
        b'{"length": 3.5}\n',
        "3.5 不是整数；若是秒，请指定字段并给 --frame-rate",
    ),
    "bytes.jsonl": (b'\xff{"length"', "第 1 列的字节 0xff 不是 UTF-8；请把文件存成 UTF-8"),
    "negative.tsv": (b"length\n-3\n", "negative.tsv:2：-3 是负数"),
    "header.csv": (b"length\n", "只有表头，没有数据行"),
    "quoted.csv": (b'length,x\n1,"a\n', "quoted.csv:2：有单元格的引号没有闭合"),
    "comma.csv": (b'length,x\n1,"a"b\n', "comma.csv:2：CSV 有错：引号之后该有逗号"),
    "blank.csv": (b"length,x\n3,1\n,1\n", "blank.csv:3：该是数，却是空的"),
    "count.csv": (b"length,count\n3,x\n", 'count.csv:2：条数不对："x" 不是数'),
    "cells.csv": (b"length,count\n3,4,5\n", "该是“length,count”，却有 3 个单元格"),
    "float.npy": (array([1.5]), "里面是 float64，不是整数；请存成整数"),
    "square.npy": (array([[1, 2], [3, 4]]), "有 2 维（2 x 2）；请存成一维整数数组"),
    "below.npy": (array([1, -2]), "below.npy:2：-2 是负数"),
    "cut.npy": (array([1, 2, 3])[:-4], "3 个值只有 2 个就结束了；文件不完整"),
    "more.npy": (array([1, 2]) + b"xx", "数组之后还有多余的字节"),
    "head.npy": (b"\x93NUMPY\x01\x00zz", ".npy 文件头损坏或不完整"),
    "headless.fasta": (b"ACGT\n", '"ACGT" 在第一个 > 标题行之前'),
    "archive.zip": (b"PK\x03\x04xxxx", "是 zip 压缩包（或 .npz）；请先解压"),
    "short.gz": (gzip.compress(b"3\n4\n")[:-3], "gzip 数据不完整"),
    "damaged.gz": (b"\x1f\x8bxxxxxxxxxxxx", "gzip 数据已损坏"),
    "zeros.txt": (b"0\n0\n", "所有长度都是零（2 条序列）"),
}

#: A source that names no data, and what is said of it.
SOURCES = {
    "nowhere": "没有这个文件、文件夹、自带数据集或生成器；dgplay data 列出自带的数据集",
    "gsm8k": "没有这个文件、文件夹、自带数据集或生成器；是不是想写 gsm8k_train_qa？",
    "nowhere.csv": "没有这个文件或文件夹",
    "*.nothing": "没有匹配的文件",
    "uniform:9-2": "范围颠倒了：从 9 到 2；写成 uniform:LOW-HIGH，例如 uniform:1-20",
    "uniform:x": "'x' 不是两个整数的范围；写成 uniform:LOW-HIGH，例如 uniform:1-20",
    "normal:1": "要 2 个数，给了 1 个；写成 normal:MEAN,SD，例如 normal:60,15",
    "normal:a,2": "MEAN 'a' 不是数；写成 normal:MEAN,SD，例如 normal:60,15",
    "normal:1,-2": "SD -2 小于 0；写成 normal:MEAN,SD，例如 normal:60,15",
    "lognormal:0,1": "MEDIAN 0 不大于 0；写成 lognormal:MEDIAN,SIGMA，例如 lognormal:40,0.6",
    "zipf:0.5": "A 0.5 不大于 1；写成 zipf:A，例如 zipf:1.5",
}

#: A file that holds no saved state, and what is said of it.
STATES = {
    "{": "不是保存的状态：这里该有双引号括起的键名：第 1 行第 2 列（字符 1）",
    "[]": "不是保存的状态：没有写明是保存的状态",
    '{"format": "dgplay-state"}': "不是保存的状态：没有版本号",
    '{"format": "dgplay-state", "version": 99}': ("由更新的 dgplay 保存（版本 99，这里读到 1）"),
    '{"format": "dgplay-state", "version": 1, "arguments": 5}': (
        "不是保存的状态：其中的参数不是一列词"
    ),
}


def chinese(error: DgplayError) -> str:
    return translated(str(error), translator("zh"))


@pytest.mark.parametrize("name", FILES)
def test_a_broken_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    content, told = FILES[name]
    Path(name).write_bytes(content)
    with pytest.raises(DgplayError) as caught:
        load(DataOptions(sources=(name,)))
    assert told in chinese(caught.value)
    assert chinese(caught.value).startswith(name)
    assert english(chinese(caught.value)) == []


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_that_is_none(source: str) -> None:
    with pytest.raises(DgplayError) as caught:
        load(DataOptions(sources=(source,)))
    assert chinese(caught.value) == f"{source}：{SOURCES[source]}"


@pytest.mark.parametrize("content", STATES)
def test_a_damaged_state(content: str, tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text(content)
    with pytest.raises(DgplayError) as caught:
        load_state(path, own=False)
    assert chinese(caught.value) == f"{path}：{STATES[content]}"


#: What is opened, the keys pressed (a word behind ``=`` is typed), and what the Lab says then.
LAB = [
    ("", ("enter", "=x"), "'x' 不是长度；可以写 17、+3、5,10,15,20 或 k=8"),
    ("", ("enter", "=5,3"), "边界 3 没有大于前一个 5；边界从 1 起严格递增"),
    ("", ("enter", "=5,10"), "末尾的边界 10 小于最长长度 20；请加上 20"),
    ("", ("enter", "=k=0"), "0 个桶什么也装不下；至少为 1"),
    ("", ("enter", "=5.0s"), "'5.0s' 是时间，但长度不是；请给步数"),
    ("-k 1", ("d",), "至少要有一个桶"),
    ("-k 20", ("a",), "再添边界一步也省不了"),
    ("-k 20", ("plus",), "数据只有 20 种长度"),
    ("", ("e", "=uniform:1-20 count=0"), "'0' 不能作 count"),
    ("", ("e", '=uniform:1-20 "'), "这一行读不懂：引号没有闭合"),
    ("", ("e", "=uniform:9-2"), "uniform:9-2：范围颠倒了：从 9 到 2；写成 uniform:LOW-HIGH"),
    ("", ("e", "=broken.jsonl"), "broken.jsonl:2：第 2 列的 JSON 有错"),
    ("", ("f", "=nowhere.csv"), "nowhere.csv：没有这个文件或文件夹"),
    ("", ("s", "=folder", "enter"), "folder：是文件夹"),
]

#: The same on the Plan.
PLAN = [
    ("", ("=", "=x"), "'x' 不是长度；可以写 17、+3、5,10,15,20 或 k=8"),
    ("", ("e", "=cost=x"), "x：不能当代价表读（没有这个文件或文件夹）"),
    ("", ("e", "=cost=costs.csv"), "costs.csv:3：时间变少了：长度 5 为 2 毫秒，长度 20 为 1 毫秒"),
    ("", ("e", "=nothing=1"), "'nothing=1' 不在 cost=, multiple=, min=, compile=, budget=, batch="),
    ("", ("e", "=min=0"), "'0' 不能作 min"),
    ("", ("e", "=min=500"), "一共 100 条，满足不了每桶至少 500 条；最多 100"),
    ("", ("e", "=cost=0,0"), "代价 0,0 让所有方案都不花钱；A 或 B 要大于 0"),
    ("", ("T", "=x"), "'x' 不是“每秒步数, 轮数”"),
    ("", ("B", "=5", "tab", "tab"), "--budget：第 0 条序列长 8（补到 10），超出步数预算 5"),
    ("", ("x", "down", "enter"), "--export：lhotse-before-2024-08 按秒计，而 chainer-100 按步数计"),
    ("gsm8k_train_qa", ("tab", *["down"] * 10, "enter"), "equal-total-10k 要看前 10,000 行"),
]


def unwrapped(text: str) -> str:
    """Return the text of a frame as if nothing had been broken into lines."""
    return re.sub(r"\s*\n\s*", "", text)


async def refused(open_app: Any, line: str, keys: tuple[str, ...], told: str) -> None:
    """Press the keys at every size, and look at what is said."""
    Path("broken.jsonl").write_bytes(FILES["broken.jsonl"][0])
    Path("costs.csv").write_text("length,ms\n5,2\n20,1\n")
    Path("folder").mkdir()
    async with open_app(f"{line} --lang zh".strip(), SIZES[0]) as lab:
        await lab.settled()
        for key in keys:
            await (lab.enter(key[1:]) if len(key) > 1 and key[0] == "=" else lab.press(key))
            await lab.settled()
        for width, height in SIZES:
            await lab.resize(width, height)
            await lab.settled()
            assert f"! {told}" in lab.text or f"! {told}" in unwrapped(lab.text)
            assert english(lab.text) == []
            assert max(map(cell_len, lab.frame())) <= width


@pytest.mark.parametrize(("line", "keys", "told"), LAB)
async def test_the_lab_refuses_in_chinese(
    open_app: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    keys: tuple[str, ...],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    await refused(open_app, line, keys, told)


@pytest.mark.parametrize(("line", "keys", "told"), PLAN)
async def test_the_plan_refuses_in_chinese(
    open_app: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    keys: tuple[str, ...],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    await refused(open_app, f"{line} --screen plan".strip(), keys, told)


async def test_a_refusal_follows_the_language(open_app: Any) -> None:
    async with open_app("-k 1") as lab:
        await lab.press("d")
        assert "! one bucket is the least there can be" in lab.text
        lab.app.action_language()
        await lab.press("d")
        assert "! 至少要有一个桶" in lab.text


async def test_damaged_progress_of_the_quiz(open_app: Any, tmp_path: Path) -> None:
    (tmp_path / "quiz.json").write_text("{")
    async with open_app("--screen quiz --lang zh", (240, 40)) as lab:
        await lab.settled()
        assert "已损坏（这里该有双引号括起的键名：第 1 行第 2 列（字符 1）），已另存为" in lab.text
        assert english(lab.text) == []


@pytest.mark.parametrize(
    ("lang", "told"),
    [
        ("en", "a trace of 224371 steps is too long; at most 200000"),
        ("zh", "逐步记录 224371 步太长；最多 200000"),
    ],
)
async def test_a_sequence_too_long_to_trace_says_so_whatever_else_is_found(
    open_app: Any, lang: str, told: str
) -> None:
    async with open_app(f"uniform:1-2000000 --count 3 --lang {lang}", (80, 24)) as lab:
        await lab.press("t")
        await lab.until(lambda: told in lab.text)
        await lab.settled()
        assert told in lab.text


async def test_the_name_of_several_files(
    open_app: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "b.txt"):
        Path(name).write_text("3\n4\n")
    async with open_app("a.txt b.txt --lang zh") as lab:
        assert lab.line("top").endswith("a.txt 等，另有 1 个  zh")
