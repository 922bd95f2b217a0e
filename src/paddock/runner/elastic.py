"""`paddock.elastic`: a PyTorch training that goes on with any number of GPUs, and chooses its batch size if wanted.

Complete in this file, Python 3.8 or newer; PyTorch is imported when a `Training` is made. It is copied into jobs beside
`paddock.report`. Outside of Paddock it works too: with one process, or under torchrun. See docs/elastic.md.
"""

import atexit
import json
import math
import os
import signal
import statistics
import threading
import time
from contextlib import nullcontext
from importlib import import_module
from operator import itemgetter
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

try:
    from .reporting import report
except ImportError:  # this file alone, beside a script

    def report(step: Optional[float] = None, **values: Any) -> None:
        """Do nothing: there is no Paddock."""


RULES = ("linear", "sqrt", "adascale", "none")
WARM_UP = 50  # steps in which the learning rate goes to that of a new batch size
FIRST_CHANGE = 0.05  # of the training: earlier measurements of the noise mislead
WORTH = 1.05  # a size must be better by this factor to be changed to
LEAST = 0.9  # what a sample must be worth, compared with the first batch: the number of epochs is fixed
TOLD_TO_END = 128 + signal.SIGTERM  # the exit code, as of a program that SIGTERM ended
_UNPROVEN = 2  # steps with a new size that may run out of memory, and are then done again in smaller parts
_TIMED = 8  # steps with a new size that are timed in one and in two parts
_FILE, _MEMORY = "elastic.pt", "elastic-memory.json"


# --- rules: plain numbers -------------------------------------------------------------------------------------------


def shards(length: int, at: int, batch: int, world: int, rank: int) -> Iterator[Tuple[int, range]]:
    """Yield for each step how many samples all ranks take, and the places in the epoch's order of those of one rank.

    Together the ranks take the same samples whatever their number is. A rank for which none is left takes the first of
    the step, which then must not count.
    """
    for start in range(at, length, batch):
        end = min(start + batch, length)
        mine = range(start + rank, end, world)
        yield end - start, mine or range(start, start + 1)


class GradientNoise:
    """Estimates the batch size from which on larger batches help little: the variance of gradients over their square.

    Both are found from the squared norms of the gradient of `small` and of `large` samples (McCandlish et al., 2018).
    """

    def __init__(self, signal: float = 0.0, spread: float = 0.0, count: int = 0) -> None:
        self.signal, self.spread, self.count = signal, spread, count

    def add(self, small: float, small_square: float, large: float, large_square: float) -> None:
        """Take up one step. What is not finite is left out."""
        if not 0 < small < large or not math.isfinite(small_square + large_square):
            return
        signal = (large * large_square - small * small_square) / (large - small)
        spread = (small_square - large_square) / (1 / small - 1 / large)
        kept = min(0.99, self.count / (self.count + 1))
        self.signal += (1 - kept) * (signal - self.signal)
        self.spread += (1 - kept) * (spread - self.spread)
        self.count += 1

    @property
    def scale(self) -> Optional[float]:
        """Return the noise scale in samples; None while it is unknown."""
        if self.count < 20 or self.signal <= 0 or self.spread <= 0:
            return None
        return self.spread / self.signal


class StepCost(NamedTuple):
    """What a step takes, in seconds."""

    step: float  # whatever its size: averaging, the optimizer, loading
    part: float  # for each part that a GPU computes one after the other
    sample: float  # for each sample of one GPU

    def seconds(self, samples: int, on_gpu: int) -> float:
        """Return the seconds of a step with so many samples per GPU, of which `on_gpu` fit at once."""
        return self.step + math.ceil(samples / on_gpu) * self.part + samples * self.sample


def step_cost(samples: int, computed: Mapping[int, Sequence[float]], steps: Sequence[float]) -> Optional[StepCost]:
    """Return the cost from times of computing in few and in more parts, and of whole steps; None if too few."""
    if len(computed) < 2 or len(steps) < 3:
        return None
    (few, first), *_, (many, second) = sorted((parts, min(times)) for parts, times in computed.items())
    part = min(max(0.0, (second - first) / (many - few)), first / few)
    sample = max((first - few * part) / samples, 1e-9)
    return StepCost(max(0.0, statistics.median(steps) - first), part, sample)


def best_batch(
    now: int, first: int, most: int, world: int, noise: float, cost: StepCost, on_gpu: Tuple[int, int]
) -> int:
    """Return the batch size that gets on fastest: at most doubled, and as it is without a real gain."""

    def progress(batch: int) -> float:
        return batch / cost.seconds(math.ceil(batch / world), on_gpu[1]) / (noise + batch)

    top = min(most, 2 * now, int((noise + first) / LEAST - noise))
    if top <= first:
        return first
    tried = {round(first * (top / first) ** (n / 49) / world) * world for n in range(50)}
    sizes = [size for size in sorted(tried) if first <= size <= top and size >= on_gpu[0] * world]
    best = max(sizes, key=progress, default=now)
    return best if progress(best) > WORTH * progress(now) or (noise + first) < LEAST * (noise + now) else now


def rate_factor(rule: str, batch: int, first: int, noise: Optional[float]) -> float:
    """Return what the learning rate is multiplied with at this batch size."""
    if rule == "none" or batch == first:
        return 1.0
    if rule == "adascale":
        return (noise / first + 1) / (noise / batch + 1) if noise else 1.0
    return math.sqrt(batch / first) if rule == "sqrt" else batch / first


# --- batches: nested tuples, lists and dicts of tensors --------------------------------------------------------------


def _mapped(batch: Any, change: Callable[[Any], Any]) -> Any:
    """Return the batch with every tensor (and list of texts) in it changed."""
    if isinstance(batch, Mapping):
        return {name: _mapped(value, change) for name, value in batch.items()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*(_mapped(value, change) for value in batch))
    if isinstance(batch, (tuple, list)) and not (batch and isinstance(batch[0], (str, bytes, int, float))):
        return type(batch)(_mapped(value, change) for value in batch)
    return change(batch)


def _written(path: str, rank: int, write: Callable[[Any], Any]) -> None:
    """Write another file and rename it: a kill in the middle leaves the old one whole."""
    beside = "%s.%d.new" % (path, rank)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(beside, "wb") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)


# --- the training ----------------------------------------------------------------------------------------------------


class Training:
    """Trains a model by steps of the same global batch on however many GPUs there are, and goes on from its last save.

    `batch` is the number of samples of a step on all GPUs together. `most`: up to which the batch may grow where that
    is faster; without it, it stays. `on_gpu`: how few and how many samples one GPU computes at once; what does not fit
    is computed in parts. `lr`: how the learning rate follows the batch (RULES); "auto" is "sqrt" for optimizers like
    Adam, else "linear". `clip`: the largest norm of a gradient. `folder` is PADDOCK_CHECKPOINT_DIR; nothing is saved
    without one. `also` has what else is to be saved, by name: anything with `state_dict` and `load_state_dict`.
    """

    def __init__(
        self, model: Any, optimizer: Any, *, batch: int, most: Optional[int] = None,
        on_gpu: Optional[Tuple[int, int]] = None, lr: str = "auto", clip: Optional[float] = None,
        seed: Optional[int] = None, folder: Optional[str] = None, also: Optional[Mapping[str, Any]] = None,
    ) -> None:  # fmt: skip
        low, high = on_gpu or (1, batch)
        if not 1 <= low <= high or batch < 1 or (most is not None and most < batch):
            raise ValueError("batch and on_gpu must be at least 1, on_gpu from fewer to more, and most not below batch")
        if lr not in ("auto", *RULES):
            raise ValueError("lr is one of %s, or auto, not %r" % (", ".join(RULES), lr))
        self._torch: Any = import_module("torch")
        self._dist: Any = import_module("torch.distributed")
        self._start_group()
        self.optimizer, self._bare = optimizer, model.to(self.device)
        self.batch = self._first = batch
        self._most, self._low, self._clip = most or batch, low, clip
        self._limit = self._ceiling = high  # samples that one GPU computes at once
        self._adaptive = any(word in type(optimizer).__name__ for word in ("Ada", "RMSprop", "RAdam"))
        self._rule = lr if lr != "auto" else "sqrt" if self._adaptive else "linear"
        self._seed = seed if seed is not None else int(os.environ.get("PADDOCK_SEED") or 0)
        self._also = dict(also or {})
        self._noise = GradientNoise()
        self._cost: Optional[StepCost] = None
        self._done = self._at = self._steps = 0  # epochs, samples of this epoch, steps
        self.samples = 0
        """How many samples were trained on."""
        self.progress = 0.0
        """How many epochs the training got on: with AdaScale fewer than it took."""
        self._total, self._length = 0, 0
        self._rate_from, self._since = 1.0, WARM_UP
        self._resized = False
        self._open = (0, 0)  # samples of the step that comes, of all ranks and of this one
        self._weight = 1.0  # of this rank's mean loss, so that the average over ranks is that over samples
        self._own: Any = 0.0  # the squared norm of the gradient of this rank, or of its first part
        self._large: Any = 0.0
        self._small, self._known = 0, True
        self._waiting: Any = None
        self._told = False
        self._epoch_samples, self._epoch_seconds = 0, 0.0
        self._tried = 0  # steps with this size
        self._mark: Optional[float] = None  # when the last step ended
        self._computed_in: Dict[int, List[float]] = {}  # seconds, by the number of parts
        self._step_seconds: List[float] = []
        self._folder = folder or os.environ.get("PADDOCK_CHECKPOINT_DIR")
        self._load()
        self.model = self._wrapped()
        """The model to compute the loss with. To evaluate, use your own: `run.model` may wait for other processes."""
        if self._folder and threading.current_thread() is threading.main_thread():
            self._watch_for_the_end()

    # --- what a script calls

    @property
    def noise(self) -> Optional[float]:
        """Return the gradient noise scale in samples; None while it is unknown."""
        return self._noise.scale

    @property
    def rate(self) -> float:
        """Return what the learning rate is multiplied with now."""
        wanted = rate_factor(self._rule, self.batch, self._first, self.noise)
        return self._rate_from + (wanted - self._rate_from) * min(1.0, self._since / WARM_UP)

    def epochs(self, total: int) -> Iterator[int]:
        """Yield the epochs that are left, counted from 1. AdaScale takes some more if steps brought less."""
        self._total = total
        while self._goes_on():
            epoch = self._done + 1
            self._epoch_samples, self._epoch_seconds = 0, 0.0
            yield epoch
            self._done, self._at = epoch, 0

    def batches(self, dataset: Any, **loader: Any) -> Iterator[Any]:
        """Yield this rank's part of each step of the epoch, from where the training is. Takes options of DataLoader."""
        self._length = len(dataset)
        if self._at == 0 or self._resized:
            self._choose()
            self._resized = False
        made = self._torch.Generator().manual_seed((self._seed * 100003 + self._done) % 2**63)
        order = self._torch.randperm(self._length, generator=made)
        plan = list(shards(self._length, self._at, self.batch, self.world, self.rank))
        indices = [order[places.start : places.stop : places.step].tolist() for _, places in plan]
        data = import_module("torch.utils.data").DataLoader(dataset, batch_sampler=indices, **loader)
        began, self._mark = time.monotonic(), None
        for (count, places), batch in zip(plan, data):  # noqa: B905
            self._open = (count, len(places))
            self._weight = len(places) * self.world / count if self.rank < count else 0.0
            yield _mapped(batch, lambda x: x.to(self.device, non_blocking=True) if hasattr(x, "to") else x)
        self._epoch_seconds += time.monotonic() - began
        self._settle()

    def step(self, batch: Any, loss_of: Callable[..., Any]) -> Any:
        """Do one step: `loss_of(*batch)` returns the mean loss. Returns that of this rank."""
        count, mine = self._open
        if not mine:
            raise RuntimeError("paddock.elastic: step() takes one batch of batches(), once")
        self._open = (0, 0)
        loss = self._computed(batch, loss_of, count, mine)
        self._update(count)
        self._agree(count)
        return loss

    def save(self, epoch: int, **metrics: Any) -> None:
        """Save the training at the end of an epoch and report metrics, by rank 0. Ends here if it was told to."""
        self._settle()
        self._done, self._at = epoch, 0
        if self.rank == 0:
            self._write()
            report(epoch=epoch, of=self._total or epoch, **metrics, **self._figures())
        told = self._torch.tensor(float(self._told), device=self.device)
        if self.world > 1:
            self._dist.all_reduce(told)
        if float(told):
            self._leave(written=True)

    # --- processes

    def _start_group(self) -> None:
        torch, dist = self._torch, self._dist
        local = int(os.environ.get("LOCAL_RANK") or 0)
        cuda = torch.cuda.is_available()
        self.device = torch.device("cuda", local % torch.cuda.device_count()) if cuda else torch.device("cpu")
        if cuda:
            torch.cuda.set_device(self.device)
        if int(os.environ.get("WORLD_SIZE") or 1) > 1 and not dist.is_initialized():
            # NCCL refuses two processes on one GPU.
            alone = cuda and int(os.environ.get("LOCAL_WORLD_SIZE") or 1) <= torch.cuda.device_count()
            dist.init_process_group("nccl" if alone else "gloo")
            atexit.register(lambda: dist.is_initialized() and dist.destroy_process_group())
        grouped = dist.is_available() and dist.is_initialized()
        self.rank: int = dist.get_rank() if grouped else 0
        self.world: int = dist.get_world_size() if grouped else 1

    def _wrapped(self) -> Any:
        if self.world == 1:
            return self._bare
        parallel = import_module("torch.nn.parallel").DistributedDataParallel
        hooks = import_module("torch.distributed.algorithms.ddp_comm_hooks.default_hooks")
        model = parallel(self._bare, device_ids=[self.device] if self.device.type == "cuda" else None)

        def average(bucket: Any) -> Any:
            # Here, before averaging, the gradient is that of this rank alone.
            own = zip(bucket.parameters(), bucket.gradients())  # noqa: B905
            self._own = self._own + self._square(own)
            return hooks.allreduce_hook(None, bucket)

        model.register_comm_hook(None, lambda _, bucket: average(bucket))
        return model

    def _watch_for_the_end(self) -> None:
        own = os.getpid()

        def told(*_: Any) -> None:
            # The workers of a DataLoader inherit this, and must live until the last step is done.
            self._told = self._told or os.getpid() == own

        signal.signal(signal.SIGTERM, told)

    def _leave(self, written: bool = False) -> None:
        """Save, and end as whoever SIGTERM ends: whoever sent it decides whether the training is to go on."""
        if self.rank == 0:
            if not written:
                self._write()
            print("paddock.elastic: told to end, saved after %d samples" % self.samples, flush=True)
        if self.world > 1:
            self._dist.barrier()
        raise SystemExit(TOLD_TO_END)

    # --- a step

    def _computed(self, batch: Any, loss_of: Callable[..., Any], count: int, mine: int) -> Any:
        """Compute the gradient of all ranks. Where memory runs out, do it in smaller parts."""
        while True:
            parts = math.ceil(mine / self._ceiling)
            timed = self._adapts and _UNPROVEN <= self._tried < _TIMED and count == self.batch and mine > parts
            careful = self._tried < _UNPROVEN or timed
            if timed and self._tried % 2:
                parts = min(mine, 2 * parts)
            began = self._now() if timed else 0.0
            try:
                loss, parts = self._backward(batch, loss_of, mine, parts, careful)
            except RuntimeError as error:
                # Once other ranks may be averaging, only the next attempt can begin anew.
                if not self._fits_in_parts(error, math.ceil(mine / parts)) or (self.world > 1 and not careful):
                    raise
            else:
                if timed:
                    self._computed_in.setdefault(parts, []).append(self._now() - began)
                if self.world > 1 and careful:
                    self._own = self._square(self._gradients())
                    self._average()
                return loss

    def _backward(
        self, batch: Any, loss_of: Callable[..., Any], mine: int, parts: int, careful: bool
    ) -> Tuple[Any, int]:
        """Return the loss of this rank, and in how many parts it was computed."""
        self.optimizer.zero_grad(set_to_none=True)
        self._own, self._small = 0.0, 0
        total: Any = 0.0
        size = math.ceil(mine / parts)
        for start in range(0, mine, size):
            end = min(start + size, mine)
            part = batch if size == mine else _mapped(batch, itemgetter(slice(start, end)))
            alone = self.world > 1 and (careful or end < mine)
            with self.model.no_sync() if alone else nullcontext():
                loss = loss_of(*part) if isinstance(part, (tuple, list)) else loss_of(part)
                share = (end - start) / mine
                (loss * (share * self._weight)).backward()
            total = total + loss.detach() * share
            if self.world == 1 and start == 0 and end < mine:
                self._small, self._own = end, self._square(self._gradients()) / share**2
        return total, math.ceil(mine / size)

    def _fits_in_parts(self, error: RuntimeError, samples: int) -> bool:
        """Remember that so many samples are too many for the memory; return False if it was something else."""
        cuda = self._torch.cuda
        if not isinstance(error, cuda.OutOfMemoryError) or samples == 1:
            return False
        self._limit = self._ceiling = samples // 2
        if self._folder:
            known = json.dumps({"samples": self._limit, "memory": self._memory()}).encode()
            _written(os.path.join(self._folder, _MEMORY), self.rank, lambda file: file.write(known))
        self.optimizer.zero_grad(set_to_none=True)
        cuda.empty_cache()
        return True

    def _gradients(self) -> List[Tuple[Any, Any]]:
        return [(weights, weights.grad) for weights in self._bare.parameters() if weights.grad is not None]

    def _square(self, gradients: Any) -> Any:
        """Return the squared norm of a gradient, for Adam and the like as the optimizer scales it."""
        total: Any = 0.0
        for weights, gradient in gradients:
            state = self.optimizer.state.get(weights) or {}
            second = state.get("exp_avg_sq", state.get("square_avg"))
            if second is not None and second.shape == gradient.shape:
                defaults = self.optimizer.defaults
                kept = defaults["betas"][1] if "betas" in defaults else defaults.get("alpha", 0.99)
                grown = 1 - kept ** max(1.0, float(state.get("step", 1)))
                gradient = gradient / ((second / grown).sqrt() + defaults.get("eps", 1e-8))
            total = total + self._torch.linalg.vector_norm(gradient, dtype=self._torch.float32) ** 2
        return total

    def _average(self) -> None:
        """Average the gradients of all ranks after they were computed, not meanwhile."""
        of: Dict[Any, List[Any]] = {}
        for weights in self._bare.parameters():
            if weights.requires_grad:
                if weights.grad is None:
                    weights.grad = self._torch.zeros_like(weights)
                of.setdefault(weights.grad.dtype, []).append(weights.grad)
        for gradients in of.values():
            flat = self._torch.cat([gradient.reshape(-1) for gradient in gradients])
            self._dist.all_reduce(flat)
            flat /= self.world
            for gradient, averaged in zip(gradients, flat.split([gradient.numel() for gradient in gradients])):  # noqa: B905
                gradient.copy_(averaged.view_as(gradient))

    def _update(self, count: int) -> None:
        rate = self.rate
        self._known = bool(self.optimizer.state) or not self._adaptive
        self._large = self._square(self._gradients())
        if self._clip is not None:
            self._torch.nn.utils.clip_grad_norm_(self._bare.parameters(), self._clip)
        given = [group["lr"] for group in self.optimizer.param_groups]
        for group in self.optimizer.param_groups:
            group["lr"] = group["lr"] * rate
        self.optimizer.step()
        for group in self.optimizer.param_groups:  # schedules of the script see only their own
            group["lr"] = given.pop(0)
        gain = 1.0
        if self._rule == "adascale":
            gain = rate_factor(self._rule, self.batch, self._first, self.noise) * self._first / self.batch
        self.progress += gain * count / self._length
        self._at += count
        self.samples += count
        self._epoch_samples += count
        self._steps += 1
        self._since += 1

    def _agree(self, count: int) -> None:
        """Tell the others of this step and take up what all told of the step before, so that nobody waits."""
        torch = self._torch
        own = self._own / self._weight**2 if self._weight else self._own
        told = torch.tensor([float(self._told), 0.0, 0.0], device=self.device)
        told[1], told[2] = own, self._large
        work = self._dist.all_reduce(told, async_op=True) if self.world > 1 else None
        small = count / self.world if self.world > 1 else self._small
        measured = self._known and count == self.batch
        before, self._waiting = self._waiting, (work, told, small if measured else 0, count)
        self._take_up(before)
        now = time.monotonic()
        if self._tried > _TIMED and self._mark is not None and count == self.batch:
            self._step_seconds = [*self._step_seconds[-199:], now - self._mark]
        self._mark = now
        self._tried += 1

    def _take_up(self, sent: Any) -> None:
        if sent is None:
            return
        work, told, small, count = sent
        if work is not None:
            work.wait()
        ended, own, large = told.tolist()
        self._noise.add(small, own / self.world, count, large / self.world)
        if ended:
            self._waiting = None
            self._leave()

    def _settle(self) -> None:
        sent, self._waiting = self._waiting, None
        self._take_up(sent)

    # --- the size

    @property
    def _adapts(self) -> bool:
        return self._most > self._first

    def _now(self) -> float:
        if self.device.type == "cuda":
            self._torch.cuda.synchronize()
        return time.monotonic()

    def _memory(self) -> int:
        cuda = self.device.type == "cuda"
        return int(self._torch.cuda.get_device_properties(self.device).total_memory) if cuda else 0

    def _forget_times(self) -> None:
        self._tried = 0
        self._mark = None
        self._computed_in, self._step_seconds = {}, []

    def _goes_on(self) -> bool:
        if self._rule == "adascale" and self._adapts:
            return self._at > 0 or (self._total - self.progress >= 0.5 and self._done < 2 * self._total)
        return self._done < self._total

    def _choose(self) -> None:
        """Choose the batch of this epoch; all ranks take what the first chose."""
        if not self._adapts:
            return
        local = math.ceil(self.batch / self.world)
        self._cost = step_cost(local, self._computed_in, self._step_seconds) or self._cost
        if self.device.type == "cuda" and self._tried:
            cuda, proven = self._torch.cuda, min(local, self._ceiling)
            room = 0.9 * (cuda.mem_get_info()[0] + cuda.memory_reserved())
            self._ceiling = min(self._limit, max(proven, int(proven * room / max(1, cuda.max_memory_allocated()))))
        chosen, noise = self.batch, self.noise
        if self._cost and noise and self.progress >= FIRST_CHANGE * self._total:
            sizes = (self._low, self._ceiling)
            chosen = best_batch(self.batch, self._first, self._most, self.world, noise, self._cost, sizes)
        if self.world > 1:
            wanted = self._torch.tensor([chosen if self.rank == 0 else 2**62, self._ceiling], device=self.device)
            self._dist.all_reduce(wanted, op=self._dist.ReduceOp.MIN)
            chosen, self._ceiling = wanted.tolist()
        if chosen != self.batch:
            self._rate_from, self._since, self.batch = self.rate, 0, chosen
            self._forget_times()

    def _figures(self) -> Dict[str, float]:
        found = {"batch": self.batch, "gpus": self.world, "lr_factor": self.rate, "noise": self.noise}
        if self._epoch_seconds > 0:
            found["samples_per_second"] = self._epoch_samples / self._epoch_seconds
        return {"elastic/" + name: value for name, value in found.items() if value is not None}

    # --- the checkpoint

    def _write(self) -> None:
        if not self._folder:
            return
        noise = self._noise
        state = {
            "model": self._bare.state_dict(), "optimizer": self.optimizer.state_dict(),
            "also": {name: thing.state_dict() for name, thing in self._also.items()},
            "done": self._done, "at": self._at, "samples": self.samples, "steps": self._steps, "world": self.world,
            "progress": self.progress, "batch": self.batch, "rate_from": self._rate_from, "since": self._since,
            "noise": [noise.signal, noise.spread, noise.count], "cost": list(self._cost or ()),
        }  # fmt: skip
        _written(os.path.join(self._folder, _FILE), self.rank, lambda file: self._torch.save(state, file))

    def _load(self) -> None:
        if not self._folder:
            return
        memory = os.path.join(self._folder, _MEMORY)
        if os.path.exists(memory):
            with open(memory) as file:
                known = json.load(file)
            if self._memory() <= known["memory"]:
                self._limit = self._ceiling = max(1, min(self._limit, known["samples"]))
        path = os.path.join(self._folder, _FILE)
        if not os.path.exists(path):
            return
        state = self._torch.load(path, map_location="cpu", weights_only=True)
        self._bare.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        for name, thing in self._also.items():
            if name in state["also"]:
                thing.load_state_dict(state["also"][name])
        self._done, self._at, self.samples, self._steps = (state[key] for key in ("done", "at", "samples", "steps"))
        self.progress, self._resized = state["progress"], state["world"] != self.world
        self._noise = GradientNoise(*state["noise"])
        self._cost = StepCost(*state["cost"]) if state["cost"] else None
        if self._adapts:
            self.batch = max(self._first, min(self._most, state["batch"]))
            self._rate_from, self._since = state["rate_from"], state["since"]
        if self.rank == 0:
            print("paddock.elastic: goes on after %d samples, on %d GPU(s)" % (self.samples, self.world), flush=True)
