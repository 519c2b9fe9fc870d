"""``Verifaible``: everything that the commands do, for programs. Examples that run are in docs/python.md."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from verifaible.errors import ConfigError
from verifaible.evidence_client import EvidenceClient

if TYPE_CHECKING:
    from verifaible.agent.base import Event
    from verifaible.agent.loop import Limits
    from verifaible.bench.run.folder import RunFolder
    from verifaible.bench.run.trials import Watch
    from verifaible.check.ask import Answered
    from verifaible.llm.catalogue import Api
    from verifaible.runs.executor import Executor
    from verifaible.schema.checked import Checked


class BenchOptions(TypedDict, total=False):
    """The options of :meth:`Verifaible.bench`; docs/bench.md says what each does."""

    source: Path | None
    ids: tuple[str, ...]
    categories: tuple[str, ...]
    tags: tuple[str, ...]
    limit: int | None
    web: str | None
    gate: str
    trials: int
    concurrency: int
    executor: str
    workers: int
    max_rounds: int
    max_tokens: int | None
    max_seconds: float | None
    max_cost: float | None
    max_run_cost: float | None
    base_url: str | None
    api: str | None
    provider: tuple[str, ...]
    prompt: str
    published: bool
    record_calls: bool
    replayed: Path | None
    resumed: Path | None
    output: Path | None


def require_question(question: str, model: str, url: str) -> None:
    """Refuse what no model can be asked.

    Raises:
        ConfigError: the question is empty, the address none of a page, or the model answers only cases.
    """
    from verifaible.llm.catalogue import BUILT_IN
    from verifaible.reporting.pages import is_link

    if not question.strip():
        raise ConfigError("The question is empty. Ask something.")
    if url and not is_link(url):
        raise ConfigError(
            f"--url {url}: is not a web address. Give one that begins with https:// or http://."
        )
    if model in BUILT_IN:
        raise ConfigError(f"--model {model}: answers only the bench's cases. Name a model, such as glm-5.")


class Verifaible(EvidenceClient):
    """Citations, checks of texts, answers with evidence, runs of the bench; an asynchronous context manager.

    The methods have the names and arguments of the commands; ``verifaible.sync`` has the same without
    ``await``. See :class:`~verifaible.evidence_client.EvidenceClient` for citations and the store.
    """

    # --- texts ---------------------------------------------------------------------------

    async def check(
        self,
        name: str,
        *,
        data: bytes | None = None,
        sources: Path | None = None,
        judge: str = "",
        max_age: timedelta = timedelta(hours=24),
        max_cost_usd: float | None = None,
        api: Api | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Checked:
        """Check the claims of a text against the sources that it names; see docs/checking.md.

        Args:
            name: a path, the address of a page, or any name where ``data`` has the text.
            data: the text's bytes: Markdown, HTML, PDF, DOCX or plain text.
            sources: a folder of files, or a JSON list, to take sources from.
            judge: who decides what the rules leave open: a model as ``--model`` takes it, or ``nli``; empty:
                nobody.
            max_age: how old a visit of a source may be that stands for a new one; zero opens all again.
            max_cost_usd: what the judge may cost.
            api: the API that the judge is asked in; default: by the catalogue.
            progress: told what is done, how much of it, and of how much.

        Raises:
            ConfigError: the text or the sources cannot be read.
            UnknownModel, MissingKey: the judge cannot be asked.
            ToolError: the text's page cannot be opened.
            StoreError: the store cannot be read or written.
            InfrastructureError: no browser could be started.
        """
        from verifaible.check.run import Checker, Options
        from verifaible.check.source_files import read_source_files
        from verifaible.factcheck.judges import open_judges

        files = await asyncio.to_thread(read_source_files, sources) if sources is not None else ()
        opened = open_judges(judge, self.settings, max_cost_usd=max_cost_usd, api=api) if judge else None
        options = Options(
            files=files,
            max_age=max_age,
            judges=opened.judges if opened is not None else None,
            judge=opened.name if opened is not None else "",
            progress=progress or (lambda *_: None),
        )
        try:
            async with self._browsing() as places:
                checker = Checker(self.settings, self.store, places, self._web)
                return await checker.check(name, data=data, options=options)
        finally:
            if opened is not None:
                await opened.aclose()

    def _browsing(self) -> Executor:
        """Where what of a check needs a browser is done: over what is open already."""
        from verifaible.check.browsing import AT_ONCE, Browsing
        from verifaible.runs.executor import Local

        @asynccontextmanager
        async def here() -> AsyncIterator[Browsing]:
            yield Browsing(await self._opened())

        return Local(here, AT_ONCE)

    # --- questions -----------------------------------------------------------------------

    async def ask(
        self,
        question: str,
        *,
        model: str,
        url: str = "",
        limits: Limits | None = None,
        api: Api | None = None,
        watch: Callable[[Event], None] | None = None,
    ) -> Answered:
        """Have a model answer a question with evidence, and check its answer claim by claim.

        Args:
            question: in any language.
            model: as ``--model`` takes it.
            url: a page to start from; empty: the model searches.
            limits: what ends the work: rounds, tokens, seconds, US dollars.
            api: the API that the model is asked in; default: by the catalogue.
            watch: told of every answer of the model and every tool call as it happens.

        Returns:
            The answer; ``text`` is Markdown with markers, ``ok`` says whether no claim of it lacks evidence,
            and ``checked`` has each claim with its verdict.

        Raises:
            ConfigError: the question, the address or a limit makes no sense.
            UnknownModel, MissingKey: the model cannot be asked.
            InfrastructureError: the machine failed.
        """
        from verifaible.agent.base import unwatched
        from verifaible.check.ask import ask
        from verifaible.llm.opening import open_model

        require_question(question, model, url)
        opened = open_model(model, self.settings, api)
        try:
            if limits is not None and limits.cost_usd is not None and not opened.priced:
                raise ConfigError(
                    f"What {model} costs is not known here, so --max-cost would have no effect. Leave it "
                    "out, or use --max-tokens."
                )
            workspace = await self._opened()
            return await ask(
                question,
                client=opened.client,
                context=workspace.context,
                store=self.store,
                url=url,
                model=model,
                limits=limits,
                watch=watch or unwatched,
            )
        finally:
            await opened.client.aclose()

    # --- the bench -----------------------------------------------------------------------

    async def bench(
        self, *models: str, watch: Watch | None = None, **options: Unpack[BenchOptions]
    ) -> RunFolder:
        """Run VerifAIble Bench into a run folder.

        Args:
            models: the models, as ``--model`` takes them.
            watch: told of every event and every finished trial.
            options: what is run, and how; the options of ``verifaible bench``.

        Returns:
            The folder; its ``results()`` are the trials. A run that is cancelled keeps its finished
            trials, and is continued with ``resumed=folder.path``.

        Raises:
            RunError: the run ended early, or cannot be continued.
            CaseError, UnknownModel, MissingKey: the options cannot be followed.
        """
        from verifaible.bench.run.commands import Options, prepare

        chosen = Options(models=models, **options)
        prepared = await asyncio.to_thread(prepare, self.settings, chosen)
        await prepared.runner(watch or (lambda *_: None)).run()
        return prepared.folder
