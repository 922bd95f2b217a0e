"""In the style of Sacred: a config function, captured arguments, `with key=value` on the command line."""

from sacred import Experiment

ex = Experiment("quadratic", save_git_info=False)


@ex.config
def config():
    learning_rate = 0.1  # noqa: F841
    epochs = 4  # noqa: F841


@ex.automain
def run(learning_rate, epochs, _log):
    weight = 5.0
    for epoch in range(1, epochs + 1):
        weight -= learning_rate * 2 * weight
        _log.info("epoch %d: validation_error %.4f", epoch, weight * weight)
    return weight
