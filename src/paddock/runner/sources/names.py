"""Names of printed metrics: which words count steps, which name a phase, and which are no metrics at all."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


EPOCHS = _words("epoch epochs ep e")
STEPS = _words(
    "step steps global_step global_steps train_step iter iters iteration iterations it batch batches minibatch episode "
    "episodes num_updates update updates total_timesteps timesteps round rounds totalenvinteracts #"
)
_PHASES = {
    "train": "train",
    "training": "train",
    "train_inner": "train",
    "val": "val",
    "valid": "valid",
    "validation": "val",
    "validating": "val",
    "test": "test",
    "testing": "test",
    "eval": "eval",
    "evaluation": "eval",
    "dev": "dev",
}
# Words beside the numbers of a metric line. A word that is not here makes a line prose, which gives nothing.
_FILLERS = _words(
    "on set subset end of epoch in results result metrics metric stats stat summary averaged average avg mean final "
    "finished done complete completed after at over best new saved improved elapsed eta time cost took total data "
    "batch batches samples current info score scores performance day days bf16 mfu lr memory max mem error errors"
)
_MEANS = _words("avg average averaged mean running avg. total_avg")
_CLOCKS = _words(
    "eta time elapsed took duration remaining runtime seconds minutes dt dur wall train_wall total_time fps sps wps "
    "ups speed throughput latency data"
)
_FACTS = _words(
    "total total_params trainable_params params parameters seed size batch_size version wpb bsz sents gb_free oom mem "
    "memory v_num progress instances images labels img_size n_updates nupdates samples loss_scale gpu_mem memory_usage"
)
_PROCESS = _words("port pid rank line exit code status workers host localhost device gpu gpus world_size")
RESERVED = _CLOCKS | _FACTS | _PROCESS | EPOCHS | STEPS
_RATES = _words("lr learning_rate dropout momentum weight_decay decay threshold patience warmup gnorm grad_norm")
_GREEK = _words("gamma alpha beta beta1 beta2 eps epsilon tau temperature test_size val_size")
_SETTINGS = _RATES | _GREEK  # a metric only with an epoch or a step
_METRICS = _words(
    "loss losses acc accuracy top ppl perplexity err error errors f auc auroc auprc ap map bleu rouge rougel mse mae "
    "rmse mape logloss score reward rewards return returns iou miou dice psnr ssim fid nll kl elbo wer cer bpc bpb bpd "
    "precision recall r xent entropy ce bce cost mfu norm objective correlation pearson spearman mcc kappa ndcg mrr "
    "hits regret likelihood energy sharpe lr"
)
_NOT_VALUES = _words("weight weights scale coef coeff coefficient fn function type fraction factor name file")
_PROSE = _words("the a an is was to with from for this that and or per number will be")
_WORD = re.compile(r"[A-Za-z]+\d*")
_PLAIN = re.compile(r"[A-Z][a-z]+$")
_PHASED = re.compile(r"(?:train|val|test|eval|dev)", re.IGNORECASE)
_SPEED = re.compile(r"(?:^|_|\b)(?:time|runtime|per_sec(?:ond)?|mem|memory|samples)$|/s(?:ec)?\b|^ms/", re.IGNORECASE)
_EXCEPTION = re.compile(r"(?:Error|Exception|Exit|Warning|Interrupt)$")

METRIC, EPOCH, STEP, DROP, BAD = range(5)


class Name(NamedTuple):
    """What a printed name stands for. `phase` is the one that the name itself contains."""

    kind: int
    name: str = ""
    phase: str = ""
    known: bool = False  # one of the usual metrics
    setting: bool = False
    plain: bool = True  # may stand in a line without an epoch or step
    full: str = ""  # the name with the word that says it is a mean


@lru_cache(maxsize=4096)
def classify(raw: str) -> Name:
    words = raw.replace("'s ", " ").split()
    phase = ""
    if "(" in words[-1]:
        base, _, inner = words[-1].partition("(")
        if base.lower() in EPOCHS or base.lower() in STEPS:
            words[-1], phase = base, _PHASES.get(inner.rstrip(")").lower(), "")
    last = words[-1].lower()
    if last in EPOCHS or last in STEPS:
        return _counter(last, words[:-1], phase)
    if len(words) == 1 and _EXCEPTION.search(raw):
        return Name(BAD)
    joined = "_".join(words)
    reserved = joined.lower() in RESERVED or (len(words) > 1 and last in RESERVED) or _SPEED.search(joined)
    if reserved or words[-1][:1] == "(" or not _WORD.search(joined):
        return Name(DROP, plain=len(words) == 1)
    if any(word.lower() in _PROSE for word in words):
        return Name(BAD)
    if len(words) > 1:
        phase = phase_of(words[0])
    rest = words[1:] if phase else words
    meant = [word for word in rest if word.lower() not in _MEANS] or rest
    known = is_known(meant[-1])
    return Name(
        METRIC,
        "_".join(tidy_word(word) for word in meant),
        phase,
        known,
        joined.lower() in _SETTINGS,
        len(words) == 1 or known,
        "_".join(tidy_word(word) for word in rest),
    )


def _counter(last: str, before: list[str], phase: str) -> Name:
    for word in before:
        phase = phase_of(word) or phase
        if not phase_of(word) and word.lower() not in _FILLERS and word.lower() != "global":
            return Name(DROP, plain=False)
    return Name(EPOCH if last in EPOCHS else STEP, phase=phase)


def tidy_word(word: str) -> str:
    """Return `loss` for `Loss`; what is more than a plain word (`Acc@1`, `mAP`, `Loss_D`) stays as it is."""
    word = word.rstrip(".")
    return word.lower() if _PLAIN.match(word) else word


def tidy(name: str) -> str:
    """Return the name that a metric has now which was `Train_Loss` before words were written in one way."""
    found = classify(name.replace("_", " ")) if "_" in name else classify(name)
    return "%s_%s" % (found.phase, found.name) if found.phase else found.name


def phase_of(word: str) -> str:
    return _PHASES.get(word.rstrip(".:").lower(), "")


def is_filler(word: str) -> bool:
    return word.rstrip(".:").lower() in _FILLERS


def is_known(name: str) -> bool:
    """Return True if a part of the name is a usual metric: `loss` in `loss_cls`, but not in `loss_weight`."""
    parts = [part.lower() for part in _WORD.findall(name.replace("_", " "))]
    return bool(parts) and parts[-1] not in _NOT_VALUES and any(part.rstrip("0123456789") in _METRICS for part in parts)


def is_setting(name: str) -> bool:
    return name.lower() in _SETTINGS


def is_result(name: str) -> bool:
    return is_known(name) and not is_setting(name.rpartition("/")[2])


def is_reserved(name: str) -> bool:
    return name.lower() in RESERVED or bool(_SPEED.search(name))


@lru_cache(maxsize=4096)
def with_phase(phase: str, name: str) -> str:
    """Return the name with the phase of its line before it, unless it has one or belongs to another group."""
    return name if not phase or "/" in name or _PHASED.match(name) or is_setting(name) else "%s_%s" % (phase, name)
