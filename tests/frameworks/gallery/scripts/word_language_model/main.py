"""In the style of PyTorch's word language model: columns with bars, a line of dashes around each epoch."""

import argparse
import math

parser = argparse.ArgumentParser(description="PyTorch Wikitext-2 RNN/LSTM/GRU/Transformer Language Model")
parser.add_argument("--model", type=str, default="LSTM", help="type of network (RNN_TANH, RNN_RELU, LSTM, GRU)")
parser.add_argument("--lr", type=float, default=20, help="initial learning rate")
parser.add_argument("--epochs", type=int, default=4, help="upper epoch limit")
parser.add_argument("--tied", action="store_true", help="tie the word embedding and softmax weights")
args = parser.parse_args()

weight = 2.0
for epoch in range(1, args.epochs + 1):
    for batch in (200, 400):
        cur_loss = weight * weight
        print(
            "| epoch {:3d} | {:5d}/{:5d} batches | lr {:02.2f} | ms/batch {:5.2f} | loss {:5.2f} | ppl {:8.2f}".format(
                epoch, batch, 600, args.lr, 12.0, cur_loss, math.exp(cur_loss)
            )
        )
    weight -= args.lr * 2 * weight
    val_loss = weight * weight
    print("-" * 89)
    print(
        "| end of epoch {:3d} | time: {:5.2f}s | valid loss {:5.2f} | valid ppl {:8.2f}".format(
            epoch, 1.0, val_loss, math.exp(val_loss)
        )
    )
    print("-" * 89)
print("=" * 89)
print("| End of training | test loss {:5.2f} | test ppl {:8.2f}".format(val_loss, math.exp(val_loss)))
print("=" * 89)
