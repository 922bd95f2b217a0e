"""What the name of a metric means: a loss, an error or a score, of which data, and whether less of it is better."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Literal


class Goal(StrEnum):
    MIN = "min"
    MAX = "max"


def _listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


# In each group the words that are preferred come first.
VALIDATION = _listed("val valid validation dev eval evaluation holdout heldout test testing")
TRAINING = frozenset(_listed("train training trn tr trainer"))
_LOSSES = _listed("loss nll logloss crossentropy xent ce bce perplexity ppl bpc bpb bits kl kld cost")
_ERRORS = _listed(
    "error err wer cer ter eer rmse mse mae mape smape mdape rmsle msle medae fid kid lpips brier ece deviance hamming "
    "hausdorff hd assd chamfer mpjpe ade fde epe fpr fnr far frr false regret distance dist rank"
)
_SCORES = _listed(
    "acc accuracy f1 fscore fbeta auc auroc roc auprc prauc rocauc map ap ar miou iou giou dice jaccard bleu sacrebleu "
    "rouge rougel rougelsum meteor cider spice chrf bertscore comet top ndcg mrr hit hits pass precision recall "
    "specificity sensitivity tpr tnr npv ppv mcc matthews kappa gini r2 pearson spearman kendall corr correlation "
    "cindex concordance explained psnr ssim msssim snr sisdr sisnr sdr pesq stoi mos inception similarity reward "
    "rewards rew return returns score success win winrate elo likelihood loglik elbo em match correct nmi ari "
    "silhouette sharpe fitness"
)
_PREFERRED = {word: place for group in (_LOSSES, _ERRORS, _SCORES) for place, word in enumerate(group)}
_DECIDES = frozenset(("loss", "error", "err"))  # whatever else is in the name: top1_err, auc_loss
_NEGATED = _DECIDES | frozenset(("rmse", "mse", "mae", "likelihood", "deviance", "brier", "logloss"))
# With one of these, a metric is about something else: loss_scale, reward_std, grad_norm, error_count.
_ASIDE = frozenset(
    _listed(
        "scale scaler weight coef coeff coefficient std stderr stdev var variance num count norm grad gradient time "
        "sec secs second seconds lr threshold thresh patience target memory speed throughput sys"
    )
)
_ALIASES = tuple(
    (re.compile(rf"(?<![A-Za-z0-9])(?:{pattern})(?![A-Za-z0-9])", re.IGNORECASE), word)
    for pattern, word in (
        (r"r[\W_]?(?:2|squared|square)", "r2"),
        (r"f[\W_]?(?:1|2|beta)(?:[\W_]?(?:score|measure))?|f[\W_]score", "f1"),
        (r"cross[\W_]?entropy", "crossentropy"),
        (r"c[\W_]?index", "cindex"),
        (r"learning[\W_]?rate", "lr"),
    )
)
_PIECES = re.compile(r"[^A-Za-z0-9]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SPLITS = sorted((*VALIDATION, *TRAINING), key=len, reverse=True)
_KNOWN = frozenset((*_PREFERRED, *_SPLITS, *_ASIDE))


@dataclass(frozen=True)
class MetricName:
    """What the name of a metric means."""

    kind: Literal["loss", "error", "score"] | None  # None: the name does not reveal it
    goal: Goal | None
    words: tuple[str, ...]
    preference: int = 0  # the smaller the better, among those of one kind

    @property
    def validation(self) -> str | None:
        """The word that names the data it was validated with, if there is one."""
        return next((word for word in self.words if word in VALIDATION), None)

    @property
    def training(self) -> bool:
        return self.validation is None and not TRAINING.isdisjoint(self.words)


@lru_cache(maxsize=4096)
def meaning(name: str) -> MetricName:
    """Return what the name of a metric means."""
    plain = name
    for pattern, word in _ALIASES:
        plain = pattern.sub(word, plain)
    words = tuple(word for piece in _PIECES.split(plain) if piece for word in _words(piece))
    known = [word for word in words if word in _PREFERRED]
    if not known or ("explained" not in words and not _ASIDE.isdisjoint(words)):
        return MetricName(None, None, words)
    word = next((one for one in known if one in _DECIDES), known[-1])
    goal = Goal.MAX if word in _SCORES else Goal.MIN
    if word in _NEGATED and not {"neg", "negative"}.isdisjoint(words):  # neg_mean_squared_error, neg_log_likelihood
        goal = Goal.MIN if goal is Goal.MAX else Goal.MAX
    kind: Literal["loss", "error", "score"] = "loss" if word in _LOSSES else "error" if word in _ERRORS else "score"
    kind = kind if (kind == "score") == (goal is Goal.MAX) else "score" if goal is Goal.MAX else "loss"
    return MetricName(kind, goal, words, _PREFERRED[word])


def goal_of(name: str) -> Goal:
    """Return whether less or more of a metric is better, by its name; less where the name does not reveal it."""
    return meaning(name).goal or Goal.MIN


def _words(piece: str) -> list[str]:
    """Split a piece of a name further: valLoss, trainacc, acc1."""
    lower = piece.lower()
    if lower in _KNOWN:
        return [lower]
    bare = lower.rstrip("0123456789")
    if bare in _KNOWN:
        return [bare]
    parts = _CAMEL.findall(piece)
    if len(parts) > 1 and sum(map(len, parts)) == len(piece):
        return [word for part in parts for word in _words(part)]
    for split in _SPLITS:
        if lower.startswith(split) and lower[len(split) :] in _KNOWN:
            return [split, lower[len(split) :]]
    return [lower]
