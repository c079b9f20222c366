"""What the modal screens share: a titled box over the Lab, closed by Escape or q."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widget import Widget

from ..footer import CLOSE, Keys, keys_text
from ..widgets.line import Line

if TYPE_CHECKING:
    from ..app import DgplayApp


class Box(ModalScreen[str | None]):
    """A modal screen with one box; subclasses fill it and dismiss it with a choice."""

    DEFAULT_CSS = """
    Box { align: center middle; }
    Box > Vertical {
        width: 100%; max-width: 100; height: auto; max-height: 90%;
        border: solid $accent; border-title-color: $foreground; background: $surface;
        padding: 0 1;
    }
    Box.-ascii > Vertical { border: ascii $accent; }
    Box #box-keys { dock: bottom; background: $panel; color: $text-muted; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", show=False),
        Binding("q", "close", show=False),
    ]

    #: What keys do here; it stands in the place of the keys of the screen below.
    KEYS: ClassVar[Keys] = CLOSE

    def __init__(self, title: str, *, ascii: bool) -> None:
        super().__init__(classes="-ascii" if ascii else "")
        self.box_title = title

    def compose(self) -> ComposeResult:
        """Put the content into the box, and its keys where those of the screen are."""
        with Vertical() as box:
            box.border_title = self.box_title.replace("[", r"\[")
            yield from self.content()
        yield Line("box-keys")

    def on_mount(self) -> None:
        """Name the keys."""
        self.show_keys(self.KEYS)

    def show_keys(self, keys: Keys) -> None:
        """Put keys with their words into the last line."""
        app = cast("DgplayApp", self.app)
        line = self.query_one("#box-keys", Line)
        line.set_class(app.look.ascii, "-ascii")
        line.show(keys_text(keys, app.tr, ascii=app.look.ascii))

    def content(self) -> list[Widget]:
        """Return what is in the box."""
        return []

    def dismiss(self, result: str | None = None) -> AwaitComplete:
        """Close once: a held key asks again, which would close the screen below."""
        return super().dismiss(result) if self.app.screen is self else AwaitComplete()

    def action_close(self) -> None:
        """Close without a choice."""
        self.dismiss(None)
