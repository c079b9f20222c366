"""The command palette: every command of the table, under its group."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from textual.await_complete import AwaitComplete
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider

from .commands import APP_COMMANDS, SCREEN_COMMANDS, Command

if TYPE_CHECKING:
    from .app import DgplayApp


class Palette(CommandPalette):
    """Textual's palette, which Enter held down closes once and not what is below it."""

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close, unless it is closed already."""
        return super().dismiss(result) if self.app.screen is self else AwaitComplete()


class CommandProvider(Provider):
    """Finds commands by what they do."""

    @property
    def _dgplay(self) -> DgplayApp:
        return cast("DgplayApp", self.app)

    def _named(self) -> list[tuple[str, Command]]:
        tr = self._dgplay.tr
        own: tuple[Command, ...] = getattr(self.screen, "OWN", ())
        listed = (*own, *SCREEN_COMMANDS, *APP_COMMANDS)
        return [(f"{tr(command.group)}: {tr(command.help)}", command) for command in listed]

    def _keys(self, command: Command) -> str:
        return command.shown_as(ascii=self._dgplay.look.ascii)

    async def discover(self) -> Hits:
        """List every command."""
        for name, command in self._named():
            yield DiscoveryHit(name, partial(self._run, command), help=self._keys(command))

    async def search(self, query: str) -> Hits:
        """List the commands that match."""
        matcher = self.matcher(query)
        for name, command in self._named():
            # Whoever types without an input method finds the English words in any language.
            score = max(matcher.match(name), matcher.match(command.help))
            if score > 0:
                yield Hit(score, matcher.highlight(name), partial(self._run, command),
                          help=self._keys(command))  # fmt: skip

    async def _run(self, command: Command) -> None:
        """Run the action where its key would have run it."""
        anywhere = command.id.startswith(("app.", "screen."))
        namespace = self.app if anywhere else self.screen
        await self.app.run_action(command.action, namespace)
