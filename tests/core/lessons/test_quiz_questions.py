"""Each question's answer against an independent computation, and the draw of a seed."""

import json
from itertools import combinations

import numpy as np
import pytest

from dgplay.core.command_line import parse
from dgplay.core.lessons.answers import Facts
from dgplay.core.lessons.leitner import Boxes, Card
from dgplay.core.lessons.questions import KINDS, NEEDED_CHECKS, Dice
from dgplay.core.lessons.quiz import draw, quiz_line, quiz_record, start
from dgplay.core.lessons.wording import WORDS, worded
from dgplay.core.sequences.analysis import Analysis
from dgplay.core.sequences.loading import load
from dgplay.core.state import open_state
from dgplay.core.wording import translated

STATES = (
    "",
    "--boundaries 4,11,17,20",
    "--boundaries 3,20 --pad-to boundary",
    "--boundaries 7,9,21,30 --pad-to boundary --bias 0.5",
    "uniform:1-12 --count 40 --seed 3 -k 3 --weight-scale 1",
    "uniform:2-9 --count 30 --method quantile -k 3 --bias 0.1",
    "--boundaries 20",
)
SEEDS = range(8)


def facts_of(line):
    request = parse(line.split())
    analysis = Analysis(load(request.state.data))
    return Facts(open_state(request, analysis), analysis)


class Alone:
    """The same state worked out from the bare lengths and a loop over steps."""

    def __init__(self, facts):
        state, data = facts.state, facts.state.data
        self.ends, self.policy = state.boundaries, state.pad_to
        low, high = 1, 20
        if data.sources:
            low, high = map(int, data.sources[0].removeprefix("uniform:").split("-"))
        rng = np.random.default_rng(data.seed)
        wx, wh, wy = (rng.standard_normal(shape) for shape in ((16, 8), (8, 8), (8, 4)))
        self.lengths = rng.integers(low, high + 1, data.count).tolist()
        self.inputs = [rng.standard_normal((length, 16)) for length in self.lengths]
        scale = state.model.weight_scale
        self.wx, self.wh, self.wy = scale * wx, scale * wh, scale * wy
        self.bias = state.model.bias
        self.longest = max(self.lengths)

    def cost(self, ends):
        total = 0
        for _, members, pad in self.buckets(ends):
            total += len(members) * pad
        return total

    def buckets(self, ends=None):
        found, low = [], 0
        for end in ends or self.ends:
            members = [length for length in self.lengths if low < length <= end]
            pad = (max(members) if members else 0) if self.policy == "longest" else end
            found.append((low + 1, members, pad))
            low = end
        return found

    def least(self):
        below = sorted(set(self.lengths) - {self.longest})
        few = min(len(self.ends) - 1, len(below))
        return min(
            self.cost((*chosen, self.longest))
            for size in range(few + 1)
            for chosen in combinations(below, size)
        )

    def single_steps(self):
        found = {}
        for place, end in enumerate(self.ends):
            for to in (end - 1, end + 1):
                moved = (*self.ends[:place], to, *self.ends[place + 1 :])
                rising = all(one < two for one, two in zip((0, *moved), moved, strict=False))
                last = place == len(self.ends) - 1
                if rising and moved[-1] >= self.longest and not (last and to > end):
                    found[place + 1, end, to] = self.cost(moved) - self.cost(self.ends)
        return found

    def run(self, x, start=None):
        h = np.zeros(8) if start is None else start
        for row in x:
            h = np.tanh(row @ self.wx + h @ self.wh + self.bias)
        return h

    def wrong(self, filled):
        count = 0
        for x in self.inputs:
            fill = self.longest - len(x)
            right, got = self.run(x) @ self.wy, self.run(filled(x, fill)) @ self.wy
            count += not np.allclose(got, right, rtol=1e-9, atol=1e-9)
        return count


def zeros_behind(x, fill):
    return np.vstack([x, np.zeros((fill, 16))])


def zeros_in_front(x, fill):
    return np.vstack([np.zeros((fill, 16)), x])


def last_again(x, fill):
    return np.vstack([x, np.repeat(x[-1:], fill, axis=0)])


def values_of(said):
    return dict(said.values)


def right_choice(question):
    return question.choices[question.truth.value - 1]


def test_every_kind_is_checked_here():
    known = {"zeros", "mask", "buckets", "standard", "faster", "chainer"}
    computed = {name.removeprefix("check_") for name in globals() if name.startswith("check_")}
    assert {kind.id for kind in KINDS} == known | computed


def check_steps(question, alone):
    assert question.truth.value == alone.cost(alone.ends)


def check_saved(question, alone):
    pad = len(alone.lengths) * alone.longest
    assert question.truth.value == pytest.approx(1 - alone.cost(alone.ends) / pad, abs=1e-12)
    assert question.truth.share


def check_pad(question, alone):
    assert question.truth.value == len(alone.lengths) * alone.longest


def check_waste(question, alone):
    low = int(values_of(question.asked)["low"])
    members, pad = next((m, p) for first, m, p in alone.buckets() if first == low)
    assert question.truth.value == pytest.approx(1 - sum(members) / (len(members) * pad))


def check_move(question, alone):
    steps = alone.single_steps()
    least = min(steps.values())
    none = WORDS["move.none"]
    if least >= 0:
        assert right_choice(question).template == none
    for choice in question.choices:
        if choice.template == none:
            continue
        values = values_of(choice)
        change = steps[int(values["bucket"]), int(values["before"]), int(values["length"])]
        assert (change == least) == (choice == right_choice(question)) or least >= 0


def check_change(question, alone):
    values = values_of(question.asked)
    move = (int(values["bucket"]), int(values["before"]), int(values["length"]))
    assert question.truth.value == alone.single_steps()[move]


def check_add(question, alone):
    places = [length for length in range(1, alone.ends[-1]) if length not in alone.ends]
    costs = {length: alone.cost(tuple(sorted((*alone.ends, length)))) for length in places}
    for choice in question.choices:
        best = costs[int(values_of(choice)["length"])] == min(costs.values())
        assert best == (choice == right_choice(question))


def check_optimum(question, alone):
    assert question.truth.value == alone.least()


def check_wrong(question, alone):
    assert question.truth.value == alone.wrong(zeros_behind)


def check_left(question, alone):
    assert question.truth.value == (1 if alone.wrong(zeros_in_front) == 0 else 2)


def check_repeat(question, alone):
    assert question.truth.value == (1 if alone.wrong(last_again) == 0 else 2)


def check_graphs(question, alone):
    assert question.truth.value == sum(1 for _, members, _ in alone.buckets() if members)


def check_calls(question, alone):
    assert question.truth.value == sum(pad for _, members, pad in alone.buckets() if members)


@pytest.mark.parametrize("line", STATES)
def test_each_computed_answer_against_a_computation_of_its_own(line):
    facts = facts_of(line)
    alone = Alone(facts)
    asked = set()
    for seed in SEEDS:
        for number, kind in enumerate(KINDS, 1):
            check = globals().get(f"check_{kind.id}")
            question = kind.make(facts, Dice(seed, number))
            if question is not None and check is not None:
                check(question, alone)
                asked.add(kind.id)
    if line == "":
        assert len(asked) == 13


@pytest.mark.parametrize("line", [*STATES, "ud_english_ewt_words", "voxconverse_segments_10ms"])
def test_every_question_is_whole(line):
    facts = facts_of(line)
    for question in draw(facts, 5, 99).questions:
        assert "{" not in question.asked + question.why
        texts = list(question.choices)
        assert len(set(texts)) == len(texts)
        if texts:
            assert 1 <= question.truth.value <= len(texts)
            assert question.grade(str(question.truth.value)) == "exact"
            assert question.grade(question.answer_text()) == "exact"
            assert question.grade(str(len(texts) + 1)) == "unreadable"
            assert question.grade("0") == "unreadable"
        else:
            assert question.grade(question.answer_text()) == "exact"
            assert question.grade("nonsense") == "unreadable"


def test_explanations_have_the_numbers_of_the_state():
    whys = {one.id: one.why for one in draw(facts_of(""), 7, 99).questions}
    assert whys["steps"] == "115 + 270 + 345 + 540 = 1270 steps, 1065 of them real."
    assert "gets 92 of 100 wrong, by up to 2.42" in whys["standard"]
    assert "pad and pad+mask run 2000 steps each, 1065 of them real" in whys["mask"]
    assert "saves 36.5% against padding all, and still 16.1%" in whys["buckets"]
    assert "dynamic runs 1065 steps, pad 2000" in whys["faster"]
    assert whys["move"] == "1270 steps become 1259 (-11). The optimum for 4 buckets is 1256."


def test_what_was_known_is_not_run_again(monkeypatch):
    facts = facts_of("")
    known = {name: facts.check(name) for name in NEEDED_CHECKS}
    monkeypatch.setattr("dgplay.core.lessons.facts.run_checks", None)
    again = Facts(facts.state, facts.analysis, known)
    assert len(draw(again, 7, 99).questions) == 19
    without = Facts(facts.state, facts.analysis)
    ids = {one.id for one in draw(without, 7, 99, run_checks=False).questions}
    assert ids.isdisjoint({"zeros", "standard", "wrong", "left", "repeat"})


#: What seed 7 asks of the reference experiment, on every Python version.
GOLDEN = [
    ("steps", [], 1270),
    ("saved", [], 0.365),
    ("standard", ["standard.right", "standard.wrong.1", "standard.wrong.3", "standard.wrong.2"], 1),
    ("change", [], 3),
    ("zeros", ["zeros.right", "zeros.wrong.1", "zeros.wrong.3", "zeros.wrong.2"], 1),
]


def test_the_same_seed_asks_the_same():
    quiz = draw(facts_of(""), 7)
    found = [(one.id, list(one.choices), one.truth.value) for one in quiz.questions]
    assert found == [(id, [WORDS[key] for key in keys], truth) for id, keys, truth in GOLDEN]
    assert draw(facts_of(""), 7) == quiz
    assert draw(facts_of(""), 8) != quiz


def test_more_questions_begin_with_the_same_ones():
    facts = facts_of("")
    assert draw(facts, 7, 12).questions[:5] == draw(facts, 7, 5).questions
    ids = [one.id for one in draw(facts, 7, 99).questions]
    assert len(set(ids)) == len(ids) == 19


def test_the_dice_are_those_of_every_version():
    dice = Dice(7, 3)
    assert [dice.below(100) for _ in range(8)] == [65, 12, 95, 8, 38, 86, 13, 98]
    assert Dice(7).shuffled("abcdefgh") == list("cdbfaghe")


def test_boxes_bring_back_what_was_wrong():
    facts = facts_of("")
    plain = [one.id for one in draw(facts, 7, 19).questions]
    boxes = Boxes(3, {plain[-1]: Card(1, 2), plain[0]: Card(3, 9)})
    order = [one.id for one in draw(facts, 7, 19, boxes).questions]
    assert order == [plain[-1], *plain[1:-1], plain[0]]


def test_a_run_asks_wrong_ones_again():
    run = start(draw(facts_of(""), 7, 3))
    assert run.answered("what") is run
    run = run.answered("1300")
    assert (run.tally, run.asking) == ({"exact": 0, "close": 1, "off": 0}, False)
    assert run.answered("1270") is run
    run = run.go_on().answered("90%")
    assert run.reply.grade == "off"
    run = run.go_on().answered("1").go_on()
    assert (run.index, run.asking, run.done) == (1, True, False)
    assert run.go_on() is run
    run = run.answered("10").go_on().answered("36.5").go_on()
    assert run.done
    assert [len(replies) for replies in run.replies] == [1, 3, 1]
    assert run.tally == {"exact": 1, "close": 1, "off": 1}
    assert run.select(0).reply.text == "1300"
    assert not run.select(0).asking
    assert run.select(99).index == 2


def test_skipped_questions_come_round():
    run = start(draw(facts_of(""), 7, 3)).go_on()
    assert (run.index, run.asking) == (1, True)
    run = run.go_on().answered("1").go_on()
    assert (run.index, run.asking) == (0, True)
    assert run.select(2).go_on().index == 0


def test_the_record_has_the_answers_given():
    facts = facts_of("")
    run = start(draw(facts, 7, 2)).answered("1270").go_on().answered("90")
    record = quiz_record(run, facts)
    assert json.loads(json.dumps(record)) == record
    first, second = record["questions"]
    assert (first["given"], first["grade"], first["box"]) == ("1270", "exact", 2)
    assert (second["given"], second["grade"], second["box"]) == ("90", "off", 1)
    assert record["tally"] == {"exact": 1, "close": 0, "off": 1}
    assert record["reproduce"] == "dgplay quiz --boundaries 5,10,15,20 --seed 7 --count 2"


def test_the_line_keeps_the_seeds_apart():
    facts = facts_of("uniform:1-9 --seed 3 --count 50 -k 2")
    line = quiz_line(facts.state, 7, 5, "lesson")
    assert line == (
        "dgplay quiz uniform:1-9 --boundaries 6,9 --data-seed 3 --data-count 50 --seed 7 --count 5"
    )


def test_a_template_is_translated_with_its_parts():
    question = worded("steps.question", boundaries="5,10,20", policy=worded("longest"))
    chinese = {WORDS["steps.question"]: "{boundaries} 补到{policy}", "longest": "最长"}
    assert translated(question, chinese.__getitem__) == "5,10,20 补到最长"
    assert question == WORDS["steps.question"].format(boundaries="5,10,20", policy="longest")
