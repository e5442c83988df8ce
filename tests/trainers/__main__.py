"""Runs the adapters with the trainers' own packages, at the versions of the requirements beside it.

python -m tests.trainers [NAME...]

Names are those of ``CHECKS``, all but those of ``BY_NAME`` by default. Servers run under the Python that the variable
``SERVER`` names, else under this one.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.request import urlopen

from chorewright.rewards import tasks
from chorewright.rewards.trl import environment, reward, rows
from tests.documents import PAGES, Runner, blocks

GAMES = ("household", "domain-game", "clarify")
EASY: dict[str, Any] = {"domain": "gripper", "band": "easy"}
ITEMS = 1_000
EPISODES = 20
STEPS = 10
PORT = 8000


def run_blocks(name: str) -> None:
    """Run the blocks of the pages that are left to a check."""
    for path in PAGES:
        for block in blocks(path.name, path.read_text("utf-8")):
            if block.trainer == name:
                with tempfile.TemporaryDirectory() as folder:
                    Runner(Path(folder)).run(replace(block, trainer=""))


def check_reasoning_gym() -> str:
    """Gold answers of a thousand items over all domains score 1, others 0."""
    import_module("chorewright.rewards.reasoning_gym")
    create = import_module("reasoning_gym").create_dataset
    made = create("chorewright_plan", seed=7, size=ITEMS, band="easy")
    domains = set()
    for item in made:
        assert made.score_answer(item["answer"], item) == 1.0, item["metadata"]
        assert made.score_answer("no plan", item) == 0.0
        domains.add(item["metadata"]["facts"]["domain"])
    curriculum = import_module("reasoning_gym.factory").create_curriculum("chorewright_plan")
    curriculum.increment_attr_level("band")
    run_blocks("reasoning-gym")
    return f"{ITEMS} of {ITEMS} gold answers score 1, over {len(domains)} domains"


def check_inspect() -> str:
    """The mock model has the accuracy that its script has; a game is won by its gold commands."""
    inspect, models = import_module("inspect_ai"), import_module("inspect_ai.model")
    adapter = import_module("chorewright.rewards.inspect")

    def run(task: Any, outputs: list[Any]) -> float:
        for each in outputs:  # else tokens are counted by a package that wants a network
            each.usage = models.ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        with tempfile.TemporaryDirectory() as folder:
            [log] = inspect.eval(
                task,
                model=models.get_model("mockllm/model", custom_outputs=outputs),
                display="none",
                log_dir=folder,
                max_samples=1,
            )
        assert log.status == "success", log.error
        return float(log.results.scores[0].metrics["mean"].value)

    plan = adapter.plan(count=6, **EASY)
    said = [each.target if number % 2 == 0 else "no idea" for number, each in enumerate(plan.dataset)]
    assert run(plan, [models.ModelOutput.from_content("mockllm/model", each) for each in said]) == 0.5
    game = adapter.household(count=1)
    calls = [("command", {"command": each}) for each in game.dataset[0].target.splitlines()[1:-1]]
    calls.append(("submit", {"answer": "done"}))
    assert run(game, [models.ModelOutput.for_tool_call("mockllm/model", *each) for each in calls]) == 1.0
    return "half of the answers right: 0.5; a game won: 1.0"


@contextmanager
def server(environment_name: str) -> Iterator[str]:
    """Serve tasks until the block ends."""
    python = os.environ.get("SERVER", sys.executable)
    words = ["serve", "openenv", "--env", environment_name, "--port", str(PORT)]
    process = subprocess.Popen([python, "-m", "chorewright", *words])
    try:
        url = f"http://127.0.0.1:{PORT}"
        for _ in range(600):
            try:
                urlopen(f"{url}/health", timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        assert process.wait(20) in (0, 143, -15)


def check_openenv() -> str:
    """OpenEnv's own client plays episodes by their gold commands."""
    client = import_module("openenv.core.generic_client").GenericEnvClient
    with server("household") as url, client(base_url=url).sync() as session:
        for index, task in enumerate(tasks("household", EPISODES)):
            found = session.reset(split="train", index=index)
            assert found.observation["text"] == task.prompt
            for command in task.gold.splitlines()[1:-1]:
                found = session.step({"command": command})
            assert (found.done, found.reward) == (True, 1.0)
        run_blocks("openenv")
    return f"{EPISODES} episodes won"


class ScriptedPlayer:
    """A player of verifiers that says what it is told to, one turn after the other; it keeps its rewards."""

    def __init__(self, replies: list[str]) -> None:
        self.replies = iter(replies)
        self.rewards: dict[str, float] = {}
        self.trace = SimpleNamespace(record_reward=self.rewards.__setitem__)

    @asynccontextmanager
    async def interaction(self, task: Any) -> AsyncIterator[ScriptedPlayer]:
        yield self

    async def turn(self, payload: str) -> Any:
        return SimpleNamespace(terminated=False, last_reply=next(self.replies))


def check_verifiers() -> str:
    """The taskset of verifiers for OpenEnv's servers plays episodes by their gold commands."""
    module = import_module("verifiers.v1.tasksets.openenv.taskset")
    gold = [task.gold.splitlines()[1:-1] for task in tasks("household", EPISODES)]
    with server("household") as url:
        resets = [{"split": "train", "index": index} for index in range(EPISODES)]
        taskset = module.OpenEnvTaskset(module.OpenEnvConfig(id="openenv", base_url=url, resets=resets))
        for task, commands in zip(taskset, gold, strict=True):
            player = ScriptedPlayer(commands)
            asyncio.run(module.OpenEnvEnv.run(None, task, SimpleNamespace(player=player)))
            assert player.rewards == {"openenv_reward": 1.0}, player.rewards
        run_blocks("verifiers")
    return f"{EPISODES} episodes won"


def check_trl() -> str:
    """GRPO runs some steps with a tiny model, with a reward function and with an environment."""
    transformers, trl = import_module("transformers"), import_module("trl")
    dataset = import_module("datasets").Dataset
    for kind in ("plan", "household"):
        data = rows(kind, 8, **(EASY if kind == "plan" else {}))
        tokenizer = tiny_tokenizer([each["prompt"][0]["content"] for each in data])
        chat = Path(str(trl.__file__)).parent / "chat_templates" / "qwen3.jinja"
        tokenizer.chat_template = chat.read_text("utf-8")
        config = transformers.Qwen3Config(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=2,
            head_dim=16,
            max_position_embeddings=8192,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=tokenizer.eos_token_id,
        )
        way = {"reward_funcs": reward} if kind == "plan" else {"reward_funcs": [], "environment_factory": environment()}
        with tempfile.TemporaryDirectory() as folder:
            asked = trl.GRPOConfig(
                output_dir=folder,
                max_steps=STEPS,
                per_device_train_batch_size=2,
                num_generations=2,
                max_completion_length=16,
                use_cpu=True,
                bf16=False,
                report_to="none",
                save_strategy="no",
            )
            model = transformers.Qwen3ForCausalLM(config)
            trainer = trl.GRPOTrainer(
                model, args=asked, train_dataset=dataset.from_list(data), processing_class=tokenizer, **way
            )
            assert trainer.train().global_step == STEPS
    return f"{STEPS} steps each way"


def tiny_tokenizer(texts: list[str]) -> Any:
    """Return a tokenizer that is trained on some texts."""
    tokenizers = import_module("tokenizers")
    level = tokenizers.pre_tokenizers.ByteLevel
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer, made.decoder = level(add_prefix_space=False), tokenizers.decoders.ByteLevel()
    special = ["<pad>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>", "<think>", "</think>"]
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=600, special_tokens=special, initial_alphabet=level.alphabet(), show_progress=False
    )
    made.train_from_iterator(texts, trainer)
    fast = import_module("transformers").PreTrainedTokenizerFast
    return fast(tokenizer_object=made, pad_token="<pad>", eos_token="<|im_end|>")


CHECKS: dict[str, Callable[[], str]] = {
    "reasoning-gym": check_reasoning_gym,
    "inspect": check_inspect,
    "openenv": check_openenv,
    "verifiers": check_verifiers,
    "trl": check_trl,
}

BY_NAME = ("verifiers",)
"""Checks that run only if they are named, in an environment of their own: verifiers and OpenEnv's server want different
versions of mcp."""


def main() -> None:
    for name in sys.argv[1:] or [each for each in CHECKS if each not in BY_NAME]:
        print(f"{name}: {CHECKS[name]()}", flush=True)


if __name__ == "__main__":
    main()
