"""Test which metric becomes the objective, in which direction, when that is final, and when a search is held."""

import random

import pytest

from paddock.models.metric_names import Goal, goal_of
from paddock.rules.objective import choose, is_blind, is_final, missing

# The names that tasks report, and the objective that a person would have chosen.
CHOICES = [
    # Validation loss first, whatever its separator and the word for it.
    ("loss val_loss", "val_loss:min"),
    ("train_loss valid_loss", "valid_loss:min"),
    ("train/loss validation/loss", "validation/loss:min"),
    ("train.loss val.loss val.acc", "val.loss:min"),
    ("loss/train loss/val", "loss/val:min"),
    ("loss_train loss_valid acc_valid", "loss_valid:min"),
    ("Loss/train Loss/test", "Loss/test:min"),
    ("train-loss eval-loss", "eval-loss:min"),
    ("eval_loss eval_accuracy train_loss learning_rate epoch", "eval_loss:min"),
    ("dev_loss dev_f1 loss", "dev_loss:min"),
    ("test_loss train_loss", "test_loss:min"),
    ("trainLoss valLoss", "valLoss:min"),
    ("TrainLoss ValidationLoss ValidationAccuracy", "ValidationLoss:min"),
    ("trainloss valloss", "valloss:min"),
    ("holdout_loss loss", "holdout_loss:min"),
    ("val_loss test_loss", "val_loss:min"),
    ("valid_loss eval_loss test_loss", "valid_loss:min"),
    ("val_acc val_loss test_acc loss acc", "val_loss:min"),
    ("val_loss_step val_loss_epoch train_loss_step", "val_loss_epoch:min"),
    ("best_val_loss val_loss", "val_loss:min"),
    ("val_loss val_loss_ce val_loss_kl", "val_loss:min"),
    ("val/total_loss val/box_loss val/cls_loss", "val/total_loss:min"),
    ("loss val_nll", "val_nll:min"),
    ("train_ppl valid_ppl", "valid_ppl:min"),
    ("loss val_perplexity", "val_perplexity:min"),
    ("val_bpc train_bpc", "val_bpc:min"),
    ("validation_0-logloss training-logloss", "validation_0-logloss:min"),
    # Validation errors.
    ("loss val_error", "val_error:min"),
    ("train_loss val_err1 val_err5", "val_err1:min"),
    ("loss val/error_rate", "val/error_rate:min"),
    ("loss dev_wer dev_cer", "dev_wer:min"),
    ("train_rmse valid_rmse", "valid_rmse:min"),
    ("validation_0-rmse train-rmse", "validation_0-rmse:min"),
    ("loss mae val_mae", "val_mae:min"),
    ("val_top1_err val_top1_acc loss", "val_top1_err:min"),
    ("test/word_error_rate train/loss", "test/word_error_rate:min"),
    # Scores of validation.
    ("loss val_acc", "val_acc:max"),
    ("loss acc val_accuracy", "val_accuracy:max"),
    ("train_loss dev_f1", "dev_f1:max"),
    ("train/loss eval/f1-score", "eval/f1-score:max"),
    ("loss val_auc", "val_auc:max"),
    ("loss valid_bleu", "valid_bleu:max"),
    ("train_loss val/mAP50 val/precision", "val/mAP50:max"),
    ("loss val_miou", "val_miou:max"),
    ("loss test_acc", "test_acc:max"),
    ("loss val_top1 val_top5", "val_top1:max"),
    ("metrics/val_r2 loss", "metrics/val_r2:max"),
    ("train_loss val_R_squared", "val_R_squared:max"),
    ("val/ndcg@10 val/hits@10 train/loss", "val/ndcg@10:max"),
    ("acc_val loss_train", "acc_val:max"),
    # Scores and errors without a word for the data.
    ("loss accuracy", "accuracy:max"),
    ("loss acc", "acc:max"),
    ("loss top1 top5", "top1:max"),
    ("loss acc@1 acc@5", "acc@1:max"),
    ("loss F1", "F1:max"),
    ("loss roc_auc", "roc_auc:max"),
    ("train_loss bleu", "bleu:max"),
    ("loss rougeL", "rougeL:max"),
    ("loss mAP", "mAP:max"),
    ("loss mIoU", "mIoU:max"),
    ("loss dice", "dice:max"),
    ("g_loss d_loss fid", "fid:min"),
    ("mse psnr ssim", "psnr:max"),
    ("loss wer", "wer:min"),
    ("loss MAE", "MAE:min"),
    ("loss R2", "R2:max"),
    ("loss error_rate", "error_rate:min"),
    ("rollout/ep_rew_mean rollout/ep_len_mean train/value_loss train/policy_gradient_loss", "rollout/ep_rew_mean:max"),
    ("reward value_loss policy_loss entropy", "reward:max"),
    ("episode_return loss", "episode_return:max"),
    ("mean_reward reward_std steps", "mean_reward:max"),
    ("success_rate loss", "success_rate:max"),
    ("log_likelihood", "log_likelihood:max"),
    ("neg_log_likelihood", "neg_log_likelihood:min"),
    ("neg_mean_squared_error", "neg_mean_squared_error:max"),
    ("loss explained_variance", "explained_variance:max"),
    ("score", "score:max"),
    # Training loss last.
    ("loss lr epoch", "loss:min"),
    ("train_loss lr", "train_loss:min"),
    ("train/loss train/acc", "train/loss:min"),
    ("loss loss_scale grad_norm", "loss:min"),
    ("total_loss loss", "loss:min"),
    ("loss train_loss", "loss:min"),
    ("training.ppl training.lr", "training.ppl:min"),
    ("train_acc", "train_acc:max"),
    ("cost", "cost:min"),
    ("perplexity", "perplexity:min"),
]


@pytest.mark.parametrize(("names", "expected"), CHOICES)
def test_the_metric_that_a_person_would_choose_is_chosen(names: str, expected: str) -> None:
    found = choose(names.split())
    assert found is not None
    assert f"{found.objective.metric}:{found.objective.goal}" == expected
    assert found.why.endswith("chosen from what the tasks report")


def test_there_are_sixty_sets_and_more() -> None:
    assert len({names for names, _ in CHOICES}) == len(CHOICES) >= 60


@pytest.mark.parametrize(
    "names", ["", "lr epoch step", "value entropy", "loss_scale", "grad_norm time", "x y", "reward_std", "sys/memory"]
)
def test_nothing_is_chosen_where_no_name_reveals_what_is_better(names: str) -> None:
    assert choose(names.split()) is None


def test_names_with_blanks() -> None:
    found = choose(["Train Loss", "Val Loss", "Val Acc"])
    assert found is not None
    assert found.objective.metric == "Val Loss"


def test_the_choice_depends_on_the_set_only() -> None:
    for names, _ in CHOICES:
        listed = names.split()
        shuffled = random.Random(names).sample(listed, len(listed))
        assert choose(shuffled) == choose(listed)


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ("val_loss", "the validation loss"),
        ("test_loss", "the test loss"),
        ("dev_wer", "a validation error"),
        ("val_acc", "a validation score"),
        ("accuracy", "a score"),
        ("fid", "an error"),
        ("loss", "the training loss"),
        ("train_acc", "the training score"),
    ],
)
def test_the_reason_names_the_kind(names: str, why: str) -> None:
    found = choose(names.split())
    assert found is not None
    assert found.why == f"{why}, chosen from what the tasks report"


@pytest.mark.parametrize(
    ("name", "goal"),
    [
        ("val_loss", Goal.MIN),
        ("val_acc", Goal.MAX),
        ("perplexity", Goal.MIN),
        ("reward", Goal.MAX),
        ("auc_loss", Goal.MIN),
        ("false_positive_rate", Goal.MIN),
        ("value", Goal.MIN),
        ("seconds", Goal.MIN),
        ("params", Goal.MIN),
        ("anything", Goal.MIN),
    ],
)
def test_the_goal_follows_from_the_name(name: str, goal: Goal) -> None:
    assert goal_of(name) is goal


def test_a_choice_is_final_when_tasks_have_shown_what_they_report() -> None:
    validation, training = choose(["val_loss"]), choose(["loss"])
    assert is_final(validation, finished=False, done=0.0, epochs=None)
    assert not is_final(None, finished=True, done=9.0, epochs=10)
    assert not is_final(training, finished=False, done=None, epochs=None)
    assert not is_final(training, finished=False, done=500.0, epochs=None), "these may be batches of the first epoch"
    assert not is_final(training, finished=False, done=1.0, epochs=4)
    assert is_final(training, finished=False, done=2.0, epochs=4)
    assert not is_final(training, finished=False, done=9.0, epochs=40)
    assert is_final(training, finished=False, done=10.0, epochs=40)
    assert is_final(training, finished=True, done=None, epochs=None)


def test_a_search_is_blind_after_a_few_tasks() -> None:
    assert not is_blind(1, 1, 0)
    assert is_blind(2, 2, 0), "all that have begun"
    assert not is_blind(2, 5, 0)
    assert is_blind(3, 5, 0)
    assert not is_blind(9, 9, 1), "some configurations report it"


def test_the_notice_names_the_metrics_and_what_to_do() -> None:
    text = missing("val_loss", ["valid_loss", "loss"], "k3v")
    assert text.startswith("no task has reported val_loss. There are: loss, valid_loss.")
    assert "`paddock objective k3v METRIC`" in text
    assert "paddock.report" in missing("val_loss", [], "k3v")
    assert "and 3 more" in missing("x", [f"m{number}" for number in range(15)], "k3v")
