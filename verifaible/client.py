"""``Verifaible``: everything that the commands do, for programs. Examples that run are in docs/python.md."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from verifaible.errors import ConfigError, RunError
from verifaible.evidence_client import EvidenceClient

if TYPE_CHECKING:
    from verifaible.agent.base import Event
    from verifaible.agent.loop import Limits
    from verifaible.bench.authoring import CaseChecked, CasesChecked, Grade
    from verifaible.bench.compare import Comparison
    from verifaible.bench.pool import Findings, RunData
    from verifaible.bench.rescore import Rescored
    from verifaible.bench.run_dir import RunFolder
    from verifaible.bench.runner import Prepared
    from verifaible.bench.trial import Watch
    from verifaible.check.ask import Answered
    from verifaible.llm.catalogue import Api
    from verifaible.runs.executor import Executor
    from verifaible.runs.progress import Progress
    from verifaible.schema.case import Case
    from verifaible.schema.checked import Checked
    from verifaible.scoring.gate import Gate


class BenchOptions(TypedDict, total=False):
    """The options of :meth:`Verifaible.bench`; docs/bench.md says what each does."""

    source: Path | None
    ids: tuple[str, ...]
    categories: tuple[str, ...]
    tags: tuple[str, ...]
    limit: int | None
    web: Literal["live", "record", "offline"] | None
    gate: Literal["answer", "citation"]
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
    api: Api | None
    provider: tuple[str, ...]
    prompt: str
    published: bool
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
        return (await self.run_bench(*models, watch=watch, **options)).folder

    async def run_bench(
        self,
        *models: str,
        watch: Watch | None = None,
        progress: Callable[[Progress], None] | None = None,
        given: Collection[str] = (),
        **options: Unpack[BenchOptions],
    ) -> Prepared:
        """As :meth:`bench`, with how it goes and how a repeated run compares.

        Args:
            models: the models.
            watch: told of every event and every finished trial.
            progress: called every few seconds, and at the end, with how far the run is.
            given: of a continued run the options that were given now; the others are its own.
            options: as of :meth:`bench`.
        """
        from verifaible.bench.config import RunConfig
        from verifaible.bench.runner import prepare

        config = RunConfig.model_validate({"models": models, **options})
        prepared = await asyncio.to_thread(prepare, self.settings, config, given)
        await prepared.runner(watch or (lambda *_: None), progress or (lambda _: None)).run()
        return prepared

    async def bench_report(self, *runs: str | Path, published: bool = False) -> Findings:
        """The figures of one run, or of several side by side; ``verifaible.bench.report`` draws them.

        Args:
            runs: folders, names of folders under ``runs/``, or ``latest``.
            published: show the published models beside other cases than theirs, too.

        Raises:
            RunError: a run is not there, holds no finished trial, or is damaged.
        """
        from verifaible.bench.pool import findings

        return await asyncio.to_thread(lambda: findings(self._read_runs(runs), published_too=published))

    async def bench_compare(
        self, *runs: str | Path, models: Sequence[str] = (), published: bool = False
    ) -> Comparison:
        """Two models on the same cases: two of one run, or one of each of two runs.

        Args:
            runs: one or two, as of :meth:`bench_report`; ``published:glm-5`` stands for published figures.
            models: which models, where that is not clear.
            published: compare with published figures of other cases, too.

        Raises:
            RunError: it is not clear which two are meant, or they have no case in common.
        """
        from verifaible.bench.compare import compare_runs

        return await asyncio.to_thread(
            compare_runs, list(map(str, runs)), models, self._read_runs, published=published
        )

    async def bench_rescore(
        self, run: str | Path, *, cases: Path | None = None, gate: Gate | None = None
    ) -> Rescored:
        """Score the trials of a run again, into a new run.

        Args:
            run: as of :meth:`bench_report`.
            cases: as they are now; default: ``cases/``.
            gate: another gate than the run's.

        Raises:
            RunError: the run is damaged or holds no trial.
        """
        from verifaible.bench.rescore import rescore

        def scored() -> Rescored:
            folder = self._run(run)
            folder.info()  # what is no run says so first
            return rescore(folder, self.settings.runs_dir, self._cases(cases), self.store, gate)

        return await asyncio.to_thread(scored)

    async def bench_accept(
        self,
        run: str | Path,
        case: str,
        *,
        models: Collection[str] = (),
        trial: int | None = None,
        cases: Path | None = None,
    ) -> tuple[Path, Sequence[str]]:
        """Add the pages of unreviewed trials to those of their case, in its file; gives the file and them.

        Args:
            run: as of :meth:`bench_report`.
            case: its id.
            models: only of these.
            trial: only of this one.
            cases: where the file is; default: ``cases/``.

        Raises:
            RunError: no trial of it is unreviewed.
            CaseError: no file of a single case has the id.
        """
        from verifaible.bench.cases import accept_pages

        def accepted() -> tuple[Path, Sequence[str]]:
            pages = [
                page
                for each in self._run(run).results()
                if each.case == case and trial in (None, each.trial)
                if not models or each.model in models
                for page in each.unreviewed
            ]
            if not pages:
                raise RunError(
                    f"No trial of {case} in this run is unreviewed. See: verifaible bench report {run}"
                )
            found = tuple(dict.fromkeys(pages))
            return accept_pages(cases or self.settings.cases_dir, case, found), found

        return await asyncio.to_thread(accepted)

    async def bench_export(
        self,
        run: str | Path,
        *,
        min_score: int = 0,
        verified: bool = False,
        models: Collection[str] = (),
        plain: bool = False,
        cases: Path | None = None,
    ) -> tuple[Sequence[dict[str, Any]], int, int]:
        """The trials of a run as examples for fine-tuning; how many were filtered out, and unanswered.

        Args:
            run: as of :meth:`bench_report`.
            min_score: the least score.
            verified: only trials whose evidence is verified.
            models: only these.
            plain: only what OpenAI's API reads: no metadata.
            cases: of the run; default: ``cases/``.

        Raises:
            RunError: the run is damaged, or has no trial of a model.
        """
        from verifaible.bench.export import examples

        def exported() -> tuple[Sequence[dict[str, Any]], int, int]:
            folder = self._run(run)
            made = list(
                examples(folder, self._cases(cases), min_score=min_score, verified=verified, models=models)
            )
            lines = [each for each in made if each is not None]
            for line in lines if plain else ():
                del line["metadata"]
            return lines, len(folder.results()) - len(made), len(made) - len(lines)

        return await asyncio.to_thread(exported)

    async def bench_grade(self, case: str, answer: str, *, cases: Path | None = None) -> Grade:
        """What an answer to a case would score, and why.

        Args:
            case: an id, or a case file.
            answer: its text.
            cases: where the id is looked up; default: ``cases/``.

        Raises:
            CaseError: there is no such case.
            UserError: the answer is a whole page.
        """
        from verifaible.bench.authoring import grade
        from verifaible.bench.cases import one_case

        found = await asyncio.to_thread(
            one_case, case, cases or self.settings.cases_dir, self.settings.cases_dir
        )
        return grade(found, answer)

    async def bench_new(
        self, *, citation: str, question: str, answer: str, case_id: str = "", output: Path | None = None
    ) -> tuple[Path, Case, Sequence[str]]:
        """Write a case file from a citation that answers a question; gives it with what is doubtful.

        Args:
            citation: an id, its beginning, or ``latest``.
            question: what the case asks.
            answer: as a person would write it.
            case_id: default: from the host and the citation.
            output: default: ``cases/ID.json``.

        Raises:
            RunError: the citation does not state the answer, or the file is there already.
        """
        from verifaible.bench.authoring import case_of, write_case
        from verifaible.bench.cases import lint

        def written() -> tuple[Path, Case, Sequence[str]]:
            case = case_of(self.store.get(citation), question, answer, case_id=case_id)
            path = output or self.settings.own_cases_dir / f"{case.id}.json"
            write_case(case, path)
            return path, case, lint(case)

        return await asyncio.to_thread(written)

    async def bench_check(
        self,
        source: Path | None = None,
        *,
        ids: Collection[str] = (),
        web: Literal["live", "offline"] | None = None,
        record: bool = False,
        watch: Callable[[CaseChecked], None] | None = None,
        say: Callable[[str], None] | None = None,
    ) -> CasesChecked:
        """Check case files, and prove them by their reference steps.

        Args:
            source: a folder or a file; default: ``cases/``.
            ids: only these cases.
            web: where the steps are played; None: they are not.
            record: live, record the sites whose cases are all ok, over their replicas.
            watch: told what came of each case.
            say: told what was recorded.

        Raises:
            CaseError: a file has faults; names each.
            BrowserMissing: there is no Chromium.
        """
        from verifaible.bench.authoring import check_cases

        return await check_cases(
            self.settings,
            source or self.settings.cases_dir,
            ids,
            web,
            record=record,
            watch=watch or (lambda _: None),
            say=say or (lambda _: None),
        )

    # --- inside --------------------------------------------------------------------------

    def _run(self, name: str | Path) -> RunFolder:
        from verifaible.bench.run_dir import RunFolder, find_run

        return RunFolder(find_run(str(name), self.settings.runs_dir))

    def _read_runs(self, names: Sequence[str | Path]) -> list[RunData]:
        from verifaible.bench.pool import read_run

        return [read_run(self._run(name).path) for name in names]

    def _cases(self, source: Path | None) -> dict[str, Case]:
        from verifaible.bench.cases import load_cases

        built_in = self.settings.cases_dir
        return {case.id: case for case in load_cases(source or built_in, built_in)}
