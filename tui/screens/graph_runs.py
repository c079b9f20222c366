"""What changes a run: program, inputs, calls, passes, guards, the editor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from textual.widgets import TextArea

from dgplay.core import saving
from dgplay.core.graph.bundled import NAMES, summary
from dgplay.core.graph.feeds import read_feeds
from dgplay.core.graph.lang_refusal import Refusal
from dgplay.core.graph_view.next_call import suggested
from dgplay.core.graph_view.options import KEEPING, PASS_NAMES
from dgplay.core.graph_view.running import typed
from dgplay.core.graph_view.session import Ask, Undo

from ..file_answer import FileAnswer
from ..phrases import refusal_words
from ..widgets.editor import Editor
from ..widgets.graph_panes import SheetPane
from ..widgets.prompt import Prompt
from ..widgets.sheet import Sheet
from .choice import Choice, DataScreen
from .graph_base import PROGRAM
from .graph_predict import GraphPredict


class GraphRuns(GraphPredict):
    """Adds the keys that ask for another run."""

    # ---- program ------------------------------------------------------------------------

    def action_program(self) -> None:
        """Choose a bundled program, or type the name of a file."""
        look = self.dgplay.look
        choices = [Choice(name, (name, look.tr(summary(name)))) for name in NAMES]
        self.dgplay.push_screen(
            DataScreen(
                look.tr("Program"), look.tr("a file, or part of a name"), choices, ascii=look.ascii
            ),
            self._program_chosen,
        )

    def _program_chosen(self, name: str | None) -> None:
        if name:
            options = replace(self.now.asked.options, program=name, feed=(), calls=(), grad=())
            self.line = 1
            self.do(Ask(options))

    # ---- the editor ---------------------------------------------------------------------

    @property
    def editing(self) -> bool:
        """Whether the program is being edited."""
        return bool(self.query(Editor))

    @property
    def typing(self) -> bool:
        """Whether keys are text: in the typed line, or in the editor."""
        return super().typing or self.editing

    def action_edit(self) -> None:
        """Edit the program in its pane."""
        pane = self.query_one(f"#{PROGRAM}", SheetPane)
        self.showing = PROGRAM
        self.add_class("-editing")
        pane.query_one(Sheet).display = False
        editor = Editor(self.now.text)
        pane.mount(editor)
        self.call_after_refresh(self._begin_editing, editor)
        self.say_here(self.dgplay.tr("Esc runs the program; every other key edits"))

    def _begin_editing(self, editor: Editor) -> None:
        editor.focus()
        editor.move_cursor((max(self.line - 1, 0), 0))

    async def on_editor_finished(self, message: Editor.Finished) -> None:
        """Close the editor and run its text."""
        await self.query(Editor).remove()
        self.notice = ""
        self.remove_class("-editing")
        pane = self.query_one(f"#{PROGRAM}", SheetPane)
        pane.query_one(Sheet).display = True
        pane.focus()
        now = self.now
        if message.text != now.text:
            self.do(Ask(now.asked.options, message.text))
        else:
            self.show_session()

    def on_text_area_changed(self, message: TextArea.Changed) -> None:
        """Keep changes of the editor to itself."""
        message.stop()

    def action_write(self) -> None:
        """Ask for a file to save the program to."""
        self.ask_where(self.program_saved)

    def ask_where(self, saved: Callable[[Path], None]) -> None:
        """Ask for a file to save the program to; ``saved`` gets it when that is done."""
        name = self.now.asked.options.program
        usual = f"{name}.py" if name in NAMES else name
        tr = self.dgplay.tr
        answer = FileAnswer(self._write, say=self.say_here, done=saved, tr=tr)
        self.ask(tr("save program to"), usual, answer)

    def _write(self, path: Path) -> None:
        """Write the program; raises DgplayError."""
        saving.write_atomically(path, self.now.text)

    def program_saved(self, path: Path) -> None:
        """Go on with the program in the file that it was saved to."""
        self.query_one(Prompt).close()
        self.do(Ask(replace(self.now.asked.options, program=str(path))))
        self.say_here(self.dgplay.tr("saved to {path}").format(path=path))

    # ---- inputs and calls ---------------------------------------------------------------

    def action_inputs(self) -> None:
        """Edit the inputs of every call in one line."""
        views = self.now.views
        shown = views.run.calls[0].inputs_text if views is not None and views.total else ""
        given = "; ".join(self.now.asked.options.feed) or shown
        self.ask(self.dgplay.tr("inputs"), given, self._inputs_typed, select=False)

    def _inputs_typed(self, text: str) -> None:
        if self._readable(text):
            self.query_one(Prompt).close()
            feed = (text.strip(),) if text.strip() else ()
            self.ask_for(replace(self.now.asked.options, feed=feed))

    def _readable(self, text: str) -> bool:
        """Return whether inputs can be read; what cannot be stays in the line, with the reason."""
        try:
            read_feeds([text], self.now.asked.seed)
        except Refusal as refusal:
            text = self.dgplay.tr("{what}. Try: {hint}")
            told = text.format_map(refusal_words(refusal, self.dgplay.tr))
            if refusal.place.column:
                text = self.dgplay.tr("column {column}: {text}")
                told = text.format(column=refusal.place.column, text=told)
            self.say_here(f"! {told}")
            return False
        return True

    def action_next_call(self) -> None:
        """Ask for the inputs of another call; those of another size are suggested."""
        views = self.now.views
        shown = ""
        if views is not None and views.total:
            shown = typed(suggested(views.run.calls[-1].inputs))
        label = self.dgplay.tr("next call, then a question")
        self.ask(label, shown, self._call_typed, select=False)

    def _call_typed(self, text: str) -> None:
        if not self._readable(text):
            return
        self.query_one(Prompt).close()
        options = self.now.asked.options
        calls = options.calls or ("",)
        asked = replace(options, calls=(*calls, text.strip()))
        self.predict_call = True
        self.ask_for(asked, to_last_call=True)

    def action_drop_call(self) -> None:
        """Take the last call back."""
        options = self.now.asked.options
        calls = options.calls[:-1]
        if len(options.calls) < 2:
            self.say_here(self.dgplay.tr("there is only one call"))
            return
        if calls == ("",):
            calls = ()
        self.ask_for(replace(options, calls=calls))

    def action_grads(self) -> None:
        """Ask which gradients are wanted."""
        views = self.now.views
        shown = views.run.grads if views is not None else ()
        label = self.dgplay.tr("gradients of (names, all or none)")
        self.ask(label, " ".join(shown) or "none", self._grads_typed)

    def _grads_typed(self, text: str) -> None:
        words = tuple(dict.fromkeys(text.replace(",", " ").split()))
        self.query_one(Prompt).close()
        self.ask_for(replace(self.now.asked.options, grad=words))

    # ---- how it is run ------------------------------------------------------------------

    def action_guards(self) -> None:
        """Switch guards off, or on again."""
        options = self.now.asked.options
        self.ask_for(replace(options, no_guards=not options.no_guards))

    def action_dynamic(self) -> None:
        """Switch symbolic sizes off, or on again."""
        options = self.now.asked.options
        self.ask_for(replace(options, dynamic="off" if options.dynamic == "on" else "on"))

    def action_limit(self) -> None:
        """Ask for the recompile limit."""
        limit = str(self.now.asked.options.recompile_limit)
        self.ask(self.dgplay.tr("recompile limit"), limit, self._limit_typed)

    def _limit_typed(self, text: str) -> None:
        number = self._whole(text)
        if number is not None:
            self.query_one(Prompt).close()
            self.ask_for(replace(self.now.asked.options, recompile_limit=number))

    def _whole(self, text: str) -> int | None:
        digits = text.strip()
        if not (digits.isdecimal() and len(digits) <= 9):
            self.say_here(f"! {self.dgplay.tr('a whole number from 0, please')}")
            return None
        return int(digits)

    def action_all_passes(self) -> None:
        """Run every pass that keeps the bits, or none."""
        options = self.now.asked.options
        self.ask_for(replace(options, passes=() if options.passes else KEEPING))

    def action_seed(self) -> None:
        """Ask for the seed, which is that of the data too."""
        self.ask(self.dgplay.tr("seed"), str(self.now.asked.seed), self._seed_typed)

    def _seed_typed(self, text: str) -> None:
        number = self._whole(text)
        if number is not None:
            self.query_one(Prompt).close()
            data, model = self.state.data, self.state.model
            self.dgplay.open_data(replace(data, seed=number), model)

    def action_undo(self) -> None:
        """Take back what was asked for last."""
        self._undone(Undo())

    def action_redo(self) -> None:
        """Ask for it again."""
        self._undone(Undo(redo=True))

    def _undone(self, action: Undo) -> None:
        before = self.now.asked
        self.do(action)
        if self.now.asked is before:
            self.say_here(self.dgplay.tr("nothing to undo"))

    def settings_text(self) -> str:
        """Return what differs from the usual way to run, for the status line."""
        options, tr = self.now.asked.options, self.dgplay.tr
        said = []
        if self.now.asked.text is not None:
            said.append(tr("edited, in no file: s saves"))
        if options.no_guards:
            said.append(tr("guards OFF"))
        if options.dynamic == "off":
            said.append(tr("dynamic off"))
        if options.recompile_limit != 8:
            said.append(tr("limit {limit}").format(limit=options.recompile_limit))
        if options.passes != KEEPING:
            named = ",".join(options.passes) or tr("none")
            named = tr("all") if options.passes == PASS_NAMES else named
            said.append(tr("passes {names}").format(names=named))
        return "  ".join(said)
