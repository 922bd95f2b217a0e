"""In the style of JAX and Flax examples: absl flags and logging."""

from absl import app, flags, logging

FLAGS = flags.FLAGS
flags.DEFINE_float("learning_rate", 0.1, "The learning rate for the momentum optimizer.", lower_bound=0.0)
flags.DEFINE_integer("num_epochs", 4, "Number of training epochs.")
flags.DEFINE_string("workdir", "work", "Directory to store model data.")


def main(argv):
    del argv
    weight = 5.0
    for epoch in range(1, FLAGS.num_epochs + 1):
        weight -= FLAGS.learning_rate * 2 * weight
        loss = weight * weight
        logging.info(
            "epoch:% 3d, train_loss: %.4f, train_accuracy: %.2f, test_loss: %.4f, test_accuracy: %.2f"
            % (epoch, loss * 0.9, 100 / (1 + loss), loss, 100 / (1 + loss))
        )


if __name__ == "__main__":
    logging.set_verbosity(logging.INFO)
    app.run(main)
