# ruff: noqa: E501
"""Lines as widely used training scripts print them, and exactly what each must give.

A row is: whose line it is, the text, and the points, each as (step, epoch if it differs, values).
"""

from __future__ import annotations

from typing import Any

Row = tuple[str, str, list[tuple[float, float | None, dict[str, float]]]]
STAMP = "2024-01-02 12:30:01"
BAR = "██████████"

METRICS: list[Row] = [
    # --- PyTorch's own examples and tutorials
    (
        "pytorch mnist train",
        "Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.301234",
        [(640, 1, {"train_loss": 2.301234})],
    ),
    (
        "pytorch mnist test",
        "Train Epoch: 2 [0/60000 (0%)]\tLoss: 0.25\n\nTest set: Average loss: 0.0512, Accuracy: 9832/10000 (98%)\n",
        [(0, 2, {"train_loss": 0.25}), (0, 2, {"test_loss": 0.0512, "test_accuracy": 98.32})],
    ),
    (
        "pytorch imagenet train: the mean in parentheses counts",
        "Epoch: [3][  11/5005]\tTime  0.512 ( 1.234)\tData  0.001 ( 0.312)\tLoss 6.9512e+00 (7.0123e+00)"
        "\tAcc@1   0.39 (  0.14)\tAcc@5   1.17 (  0.64)",
        [(11, 3, {"loss": 7.0123, "Acc@1": 0.14, "Acc@5": 0.64})],
    ),
    (
        "pytorch imagenet validation: one point per validation",
        "Epoch: [3][5001/5005]\tLoss 5.0 (5.5)\n"
        "Test: [  1/196]\tTime  4.5 (  4.5)\tLoss 6.0e+00 (6.0e+00)\tAcc@1   2.00 (  2.00)\n"
        "Test: [191/196]\tTime  0.5 (  0.9)\tLoss 6.5e+00 (6.25e+00)\tAcc@1   4.00 (  3.00)\n"
        " *   Acc@1 3.120 Acc@5 9.500\n",
        [(5001, 3, {"loss": 5.5}), (5001, 3, {"test_loss": 6.25, "test_Acc@1": 3.12, "test_Acc@5": 9.5})],
    ),
    ("pytorch cifar10 tutorial", "[2,  4000] loss: 1.873", [(4000, 2, {"loss": 1.873})]),
    (
        "pytorch quickstart",
        "Epoch 1\n-------------------------------\nloss: 2.303494  [   64/60000]\nloss: 2.294637  [ 6464/60000]\n"
        "Test Error: \n Accuracy: 50.9%, Avg loss: 2.152234 \n",
        [
            (64, 1, {"loss": 2.303494}),
            (6464, 1, {"loss": 2.294637}),
            (6464, 1, {"test_accuracy": 50.9, "test_loss": 2.152234}),
        ],
    ),
    (
        "pytorch transfer learning",
        "Epoch 4/24\n----------\ntrain Loss: 0.5012 Acc: 0.7541\nval Loss: 0.2013 Acc: 0.9281\n",
        [(4, None, {"train_loss": 0.5012, "train_acc": 0.7541}), (4, None, {"val_loss": 0.2013, "val_acc": 0.9281})],
    ),
    ("pytorch transfer learning, end", "Best val Acc: 0.941176", [(0, None, {"best_val_acc": 0.941176})]),
    (
        "word_language_model",
        "| epoch   1 |   200/ 2983 batches | lr 20.00 | ms/batch 12.34 | loss  7.64 | ppl  2077.34",
        [(200, 1, {"lr": 20.0, "loss": 7.64, "ppl": 2077.34})],
    ),
    (
        "word_language_model, end of epoch",
        "| end of epoch   1 | time: 40.12s | valid loss  5.75 | valid ppl   314.19",
        [(1, None, {"valid_loss": 5.75, "valid_ppl": 314.19})],
    ),
    (
        "word_language_model, end of training",
        "| End of training | test loss  5.01 | test ppl   150.19",
        [(0, None, {"test_loss": 5.01, "test_ppl": 150.19})],
    ),
    (
        "pytorch dcgan",
        "[1/25][100/1583]\tLoss_D: 1.9212\tLoss_G: 5.2312\tD(x): 0.6123\tD(G(z)): 0.5012 / 0.0212",
        [(100, 1, {"Loss_D": 1.9212, "Loss_G": 5.2312, "D(x)": 0.6123, "D(G(z))": 0.5012})],
    ),
    ("pytorch vae", "====> Epoch: 3 Average loss: 112.8712", [(3, None, {"loss": 112.8712})]),
    (
        "pytorch reinforce",
        "Episode 10\tLast reward: 15.00\tAverage reward: 11.52",
        [(10, None, {"last_reward": 15.0, "reward": 11.52})],
    ),
    (
        "torchvision references",
        "Epoch: [0]  [  10/1251]  eta: 0:20:00  lr: 0.001  img/s: 812.5  loss: 6.9012 (6.9512)  acc1: 0.5 (0.25)  "
        "time: 0.51  data: 0.01  max mem: 5012",
        [(10, 0, {"lr": 0.001, "loss": 6.9512, "acc1": 0.25})],
    ),
    (
        "detr, averaged",
        "Averaged stats: lr: 0.000100  class_error: 91.25  loss: 25.31 (29.87)",
        [(0, None, {"class_error": 91.25, "loss": 29.87})],
    ),
    (
        "torchvision summary",
        "Test:  Acc@1 69.758 Acc@5 89.078",
        [(0, None, {"test_Acc@1": 69.758, "test_Acc@5": 89.078})],
    ),
    # --- language models
    (
        "nanoGPT evaluation",
        "step 250: train loss 2.4293, val loss 2.4447",
        [(250, None, {"train_loss": 2.4293, "val_loss": 2.4447})],
    ),
    (
        "nanoGPT iteration",
        "iter 250: loss 2.4389, time 1093.32ms, mfu 17.23%",
        [(250, None, {"loss": 2.4389, "mfu": 17.23})],
    ),
    (
        "llm.c",
        "step    3/19560 | loss 7.012341 (+1.21z)| norm 3.1212 (+0.31z)| lr 1.20e-05 | 312.12 ms | 51.2% bf16 MFU | 1679213 tok/s",
        [(3, None, {"loss": 7.012341, "norm": 3.1212, "lr": 1.2e-05})],
    ),
    (
        "build-nanogpt",
        "step     7 | loss: 6.512341 | lr 1.2000e-05 | norm: 2.1234 | dt: 312.12ms | tok/sec: 167921.12",
        [(7, None, {"loss": 6.512341, "lr": 1.2e-05, "norm": 2.1234})],
    ),
    (
        "fairseq training",
        STAMP + " | INFO | train_inner | epoch 002:    100 / 1500 loss=10.21, nll_loss=9.91, ppl=955.4, wps=12345, "
        "ups=3.21, wpb=3841.2, bsz=128.1, num_updates=1600, lr=1.25e-05, gnorm=2.51, train_wall=31, gb_free=10.1, wall=45",
        [
            (
                1600,
                2,
                {"train_loss": 10.21, "train_nll_loss": 9.91, "train_ppl": 955.4, "lr": 1.25e-05, "gnorm": 2.51},
            )
        ],
    ),
    (
        "fairseq validation",
        STAMP + " | INFO | valid | epoch 002 | valid on 'valid' subset | loss 5.21 | nll_loss 4.11 | ppl 17.21 | "
        "wps 30123.1 | wpb 3000.2 | bsz 110.5 | num_updates 3000 | best_loss 5.01",
        [(3000, 2, {"valid_loss": 5.21, "valid_nll_loss": 4.11, "valid_ppl": 17.21, "valid_best_loss": 5.01})],
    ),
    (
        "fairseq, older",
        "| epoch 001:  15000 / 34323 loss=6.628, nll_loss=6.628, ppl=98.88, wps=644, ups=0, wpb=262143.968, "
        "bsz=2048.000, num_updates=15001, lr=0.00025819, gnorm=0.224, clip=0.106, oom=0.000, wall=407, train_wall=6043",
        [(15001, 1, {"loss": 6.628, "nll_loss": 6.628, "ppl": 98.88, "lr": 0.00025819, "gnorm": 0.224, "clip": 0.106})],
    ),
    (
        "megatron",
        " iteration      100/  500000 | consumed samples:        12800 | elapsed time per iteration (ms): 512.3 | "
        "learning rate: 1.500E-04 | global batch size:   128 | lm loss: 7.512341E+00 | loss scale: 1.0 | "
        "grad norm: 1.512 | number of skipped iterations:   0 | number of nan iterations:   0 |",
        [(100, None, {"learning_rate": 0.00015, "lm_loss": 7.512341, "grad_norm": 1.512})],
    ),
    (
        "opennmt",
        "[2024-01-02 12:30:01,123 INFO] Step 50/100000; acc: 5.12; ppl: 5012.31; xent: 8.52; lr: 0.00001; "
        "sents: 1234; bsz: 1012/1100/12; 12345/13456 tok/s;     12 sec;",
        [(50, None, {"acc": 5.12, "ppl": 5012.31, "xent": 8.52, "lr": 1e-05})],
    ),
    (
        "hugging face trainer",
        "{'loss': 0.5123, 'grad_norm': 1.25, 'learning_rate': 4e-05, 'epoch': 1.5}",
        [(1.5, None, {"loss": 0.5123, "grad_norm": 1.25, "learning_rate": 4e-05})],
    ),
    (
        "hugging face trainer, newer",
        "{'loss': '0.5123', 'grad_norm': '1.25', 'learning_rate': '4e-05', 'epoch': '1.5'}",
        [(1.5, None, {"loss": 0.5123, "grad_norm": 1.25, "learning_rate": 4e-05})],
    ),
    (
        "hugging face evaluation",
        "{'eval_loss': 0.4123, 'eval_accuracy': 0.9, 'eval_runtime': 12.31, 'eval_samples_per_second': 81.2, "
        "'eval_steps_per_second': 10.2, 'epoch': 2.0}",
        [(2, None, {"eval_loss": 0.4123, "eval_accuracy": 0.9})],
    ),
    (
        "hugging face end",
        "{'train_runtime': 100.1, 'train_samples_per_second': 80.1, 'train_steps_per_second': 5.1, "
        "'train_loss': 0.5, 'epoch': 3.0}",
        [(3, None, {"train_loss": 0.5})],
    ),
    (
        "hugging face metrics table",
        "***** eval metrics *****\n  epoch                   =        3.0\n  eval_loss               =     0.4123\n"
        "  eval_runtime            = 0:00:12.31\n  eval_samples            =        872\n",
        [(3, None, {"eval_loss": 0.4123})],
    ),
    (
        "accelerate examples",
        "epoch 0: {'accuracy': 0.8112, 'f1': 0.8712}",
        [(0, None, {"accuracy": 0.8112, "f1": 0.8712})],
    ),
    (
        "numpy and tensor scalars",
        "{'loss': np.float64(0.5), 'acc': tensor(0.75, device='cuda:0'), 'epoch': 2}",
        [(2, None, {"loss": 0.5, "acc": 0.75})],
    ),
    # --- vision frameworks
    (
        "timm train",
        "Train: 4 [  50/1251 (  4%)]  Loss: 6.91 (6.93)  Time: 0.512s, 2001.2/s  (0.601s, 1703.2/s)  LR: 1.000e-05  "
        "Data: 0.01 (0.21)",
        [(50, 4, {"train_loss": 6.93, "LR": 1e-05})],
    ),
    (
        "timm validation",
        "Train: 4 [1250/1251 (100%)]  Loss: 6.5 (6.6)\n"
        "Test: [   0/195]  Time: 1.21 (1.21)  Loss:  6.50 (6.50)  Acc@1:  1.00 ( 1.00)  Acc@5:  2.00 ( 2.00)\n"
        "Test: [ 195/195]  Time: 0.21 (0.31)  Loss:  6.40 (6.45)  Acc@1:  1.50 ( 1.25)  Acc@5:  2.50 ( 2.25)\n",
        [(1250, 4, {"train_loss": 6.6}), (1250, 4, {"test_loss": 6.45, "test_Acc@1": 1.25, "test_Acc@5": 2.25})],
    ),
    (
        "mmengine train",
        "2023/05/01 10:00:00 - mmengine - INFO - Epoch(train)  [2][  50/1000]  lr: 1.0000e-02  eta: 0:10:00  "
        "time: 0.5012  data_time: 0.0112  memory: 5012  loss: 0.5123  loss_cls: 0.3123",
        [(50, 2, {"lr": 0.01, "train_loss": 0.5123, "train_loss_cls": 0.3123})],
    ),
    (
        "mmengine validation",
        "2023/05/01 10:00:00 - mmengine - INFO - Epoch(val) [2][100/100]    coco/bbox_mAP: 0.3712  "
        "coco/bbox_mAP_50: 0.5812  data_time: 0.0012  time: 0.1012",
        [(2, None, {"coco/bbox_mAP": 0.3712, "coco/bbox_mAP_50": 0.5812})],
    ),
    (
        "mmengine by iteration",
        "05/01 10:00:00 - mmengine - INFO - Iter(train) [   50/40000]  lr: 9.9e-03  eta: 6:10:00  time: 0.5  memory: 1  "
        "loss: 2.5  decode.acc_seg: 41.5",
        [(50, None, {"lr": 0.0099, "train_loss": 2.5, "train_decode.acc_seg": 41.5})],
    ),
    (
        "mmcv",
        "2021-01-01 10:00:00,000 - mmdet - INFO - Epoch [1][50/7330]\tlr: 1.978e-03, eta: 4 days, 15:00:00, time: 0.512, "
        "data_time: 0.051, memory: 4012, loss_rpn_cls: 0.5123, acc: 91.25, loss: 1.5123",
        [(50, 1, {"lr": 0.001978, "loss_rpn_cls": 0.5123, "acc": 91.25, "loss": 1.5123})],
    ),
    (
        "detectron2",
        "[05/01 10:00:00 d2.utils.events]:  eta: 1:00:00  iter: 19  total_loss: 1.512  loss_cls: 0.512  "
        "time: 0.3012  data_time: 0.0112  lr: 0.00025  max_mem: 5012M",
        [(19, None, {"total_loss": 1.512, "loss_cls": 0.512, "lr": 0.00025})],
    ),
    (
        "yolo, ultralytics",
        "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n"
        f"        1/3      2.51G      1.162      2.851      1.221        210        640: 100%|{BAR}| 8/8 [00:05<00:00,  1.52it/s]\n"
        f"                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100%|{BAR}| 4/4 [00:01<00:00,  3.21it/s]\n"
        "                   all        128        929      0.641      0.537      0.605      0.446\n",
        [
            (1, None, {"box_loss": 1.162, "cls_loss": 2.851, "dfl_loss": 1.221}),
            (1, None, {"Box(P": 0.641, "R": 0.537, "mAP50": 0.605, "mAP50-95": 0.446}),
        ],
    ),
    (
        "yolov5",
        "      Epoch   gpu_mem       box       obj       cls    labels  img_size\n"
        f"      0/299     3.22G   0.04451   0.06562   0.01752       202       640: 100%|{BAR}| 100/100 [00:20<00:00,  5.01it/s]\n",
        [(0, None, {"box": 0.04451, "obj": 0.06562, "cls": 0.01752})],
    ),
    (
        "openpcdet",
        STAMP + ",418   INFO  Train:    1/3 ( 33%) [  49/323 ( 15%)]  Loss: 36.77 (81.7)  LR: 1.351e-04  "
        "Time cost: 00:15/01:25 [00:15/04:48]",
        [(49, 1, {"train_loss": 81.7, "LR": 0.0001351})],
    ),
    (
        "nnU-Net",
        STAMP
        + ".123456: Epoch 7\n"
        + STAMP
        + ".123456: Current learning rate: 0.00994\n"
        + STAMP
        + ".123456: train_loss -0.5432\n"
        + STAMP
        + ".123456: val_loss -0.6123\n"
        + STAMP
        + ".123456: Epoch time: 101.25 s\n",
        [(7, None, {"train_loss": -0.5432}), (7, None, {"val_loss": -0.6123})],
    ),
    (
        "pytorch-gan",
        "[Epoch 3/200] [Batch 10/938] [D loss: 0.691234] [G loss: 0.701234]",
        [(10, 3, {"D_loss": 0.691234, "G_loss": 0.701234})],
    ),
    # --- trainers
    (
        "ignite, training",
        "Epoch[1] Iteration[10/938] Loss: 0.52",
        [(10, 1, {"loss": 0.52})],
    ),
    (
        "ignite, validation",
        "Validation Results - Epoch: 1  Avg accuracy: 0.95 Avg loss: 0.16",
        [(1, None, {"val_accuracy": 0.95, "val_loss": 0.16})],
    ),
    (
        "lightning's bar",
        f"Epoch 3: 100%|{BAR}| 1875/1875 [00:12<00:00, 150.21it/s, v_num=0, train_loss=0.123, val_loss=0.0812]",
        [(1875, 3, {"train_loss": 0.123, "val_loss": 0.0812})],
    ),
    (
        "lightning's rich bar",
        "Epoch 3/9  ━━━━━━━━━━━━━━━━ 100/100 0:00:05 • 0:00:00 20.51it/s v_num: 0.000 train_loss: 0.512",
        [(100, 3, {"train_loss": 0.512})],
    ),
    (
        "lightning's test table",
        "┏━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━━━━┓\n"
        "┃        Test metric        ┃       DataLoader 0        ┃\n"
        "┡━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━━━┩\n"
        "│         test_acc          │    0.9871000051498413     │\n"
        "│         test_loss         │    0.0412000007152557     │\n"
        "└───────────────────────────┴───────────────────────────┘\n",
        [(0, None, {"test_acc": 0.9871000051498413, "test_loss": 0.0412000007152557})],
    ),
    (
        "fastai",
        "epoch     train_loss  valid_loss  accuracy  time    \n0         0.512341    0.412341    0.912341  00:12     \n"
        "1         0.412341    0.312341    0.922341  00:12     \n",
        [
            (0, None, {"train_loss": 0.512341, "valid_loss": 0.412341, "accuracy": 0.912341}),
            (1, None, {"train_loss": 0.412341, "valid_loss": 0.312341, "accuracy": 0.922341}),
        ],
    ),
    (
        "skorch",
        "  epoch    train_loss    valid_acc    valid_loss     dur\n-------  ------------  -----------  ------------  ------\n"
        "      1        \x1b[36m0.6905\x1b[0m       \x1b[32m0.6150\x1b[0m        \x1b[35m0.6749\x1b[0m  0.0301\n",
        [(1, None, {"train_loss": 0.6905, "valid_acc": 0.615, "valid_loss": 0.6749})],
    ),
    (
        "markdown table",
        "| epoch | loss | acc |\n|-------|------|-----|\n| 1 | 0.5 | 0.75 |\n| 2 | 0.25 | 0.8 |\n",
        [(1, None, {"loss": 0.5, "acc": 0.75}), (2, None, {"loss": 0.25, "acc": 0.8})],
    ),
    (
        "spacy",
        "E    #       LOSS TOK2VEC  LOSS NER  ENTS_F  SCORE \n---  ------  ------------  --------  ------  ------\n"
        "  0     200         12.51     45.52   61.20    0.61\n",
        [(200, 0, {"LOSS_TOK2VEC": 12.51, "LOSS_NER": 45.52, "ENTS_F": 61.2, "SCORE": 0.61})],
    ),
    (
        "stable-baselines3",
        "---------------------------------\n| rollout/           |          |\n|    ep_len_mean     | 22.3     |\n"
        "|    ep_rew_mean     | 21.5     |\n| time/              |          |\n|    fps             | 1284     |\n"
        "|    total_timesteps | 2048     |\n| train/             |          |\n|    loss            | 6.04     |\n"
        "---------------------------------\n",
        [(2048, None, {"rollout/ep_len_mean": 22.3, "rollout/ep_rew_mean": 21.5, "train/loss": 6.04})],
    ),
    (
        "spinning up",
        "---------------------------------------\n|             Epoch |               1 |\n|      AverageEpRet |            50.2 |\n"
        "|            LossPi |          -0.012 |\n---------------------------------------\n",
        [(1, None, {"AverageEpRet": 50.2, "LossPi": -0.012})],
    ),
    ("cleanrl", "global_step=1024, episodic_return=[22.]", [(1024, None, {"episodic_return": 22.0})]),
    ("keras custom loop", "Training loss (for one batch) at step 200: 0.9512", [(200, None, {"train_loss": 0.9512})]),
    ("keras custom loop, epoch", "Training acc over epoch: 0.8212", [(0, None, {"train_acc": 0.8212})]),
    (
        "tensorflow quickstart",
        "Epoch 1, Loss: 0.1312, Accuracy: 96.01, Test Loss: 0.0612, Test Accuracy: 98.01",
        [(1, None, {"loss": 0.1312, "accuracy": 96.01, "test_loss": 0.0612, "test_accuracy": 98.01})],
    ),
    (
        "flax mnist, absl",
        "I0501 10:00:00.123456 140123 train.py:150] epoch:  1, train_loss: 0.2112, train_accuracy: 94.01, "
        "test_loss: 0.0912, test_accuracy: 97.12",
        [(1, None, {"train_loss": 0.2112, "train_accuracy": 94.01, "test_loss": 0.0912, "test_accuracy": 97.12})],
    ),
    (
        "flax imagenet",
        "I0501 10:00:00.123456 140123 train.py:150] eval epoch: 0, loss: 6.9012, accuracy: 0.1512",
        [(0, None, {"eval_loss": 6.9012, "eval_accuracy": 0.1512})],
    ),
    (
        "clu, jax",
        "I0501 10:00:00.123456 140123 logging_writer.py:48] [100] accuracy=0.912, loss=0.312",
        [(100, None, {"accuracy": 0.912, "loss": 0.312})],
    ),
    # --- trees and others
    (
        "xgboost",
        "[10]\ttrain-logloss:0.51234\teval-logloss:0.61234",
        [(10, None, {"train-logloss": 0.51234, "eval-logloss": 0.61234})],
    ),
    (
        "lightgbm",
        "[10]\tvalid_0's binary_logloss: 0.512341\tvalid_0's auc: 0.712341",
        [(10, None, {"valid_0_binary_logloss": 0.512341, "valid_0_auc": 0.712341})],
    ),
    (
        "catboost",
        "10:\tlearn: 0.6931\ttest: 0.6929\tbest: 0.6929 (10)\ttotal: 50.1ms\tremaining: 5.12s",
        [(10, None, {"learn": 0.6931, "test": 0.6929, "best": 0.6929})],
    ),
    ("scikit-learn", "Iteration 12, loss = 0.69314718", [(12, None, {"loss": 0.69314718})]),
    (
        "fasttext",
        "Progress: 100.0% words/sec/thread:   12345 lr:  0.001000 avg.loss:  0.512341 ETA:   0h 0m 0s",
        [(0, None, {"avg.loss": 0.512341})],
    ),
    # --- people's own prints
    ("bare pairs", "epoch 7 loss 0.08", [(7, None, {"loss": 0.08})]),
    ("bare pairs with commas", "Epoch 5, Loss 0.123, Accuracy 0.95", [(5, None, {"loss": 0.123, "accuracy": 0.95})]),
    (
        "two phases",
        "Epoch 3 train: loss 0.5 acc 0.9 | val: loss 0.4 acc 0.8",
        [(3, None, {"train_loss": 0.5, "train_acc": 0.9, "val_loss": 0.4, "val_acc": 0.8})],
    ),
    (
        "bentrevett",
        "Epoch: 03 | Epoch Time: 0m 12s\n\tTrain Loss: 0.512 | Train Acc: 75.12%\n\t Val. Loss: 0.412 |  Val. Acc: 81.21%\n",
        [(3, None, {"train_loss": 0.512, "train_acc": 75.12}), (3, None, {"val_loss": 0.412, "val_acc": 81.21})],
    ),
    (
        "long words",
        "Epoch: 3 \tTraining Loss: 0.312341 \tValidation Loss: 0.212341",
        [(3, None, {"train_loss": 0.312341, "val_loss": 0.212341})],
    ),
    ("early stopping mark", "Epoch 12/50 - val_acc: 0.91 (best)", [(12, None, {"val_acc": 0.91})]),
    ("spread", "epoch 3 acc: 0.91 ± 0.02", [(3, None, {"acc": 0.91})]),
    ("full stop", "Epoch 3: loss = 0.25.", [(3, None, {"loss": 0.25})]),
    ("text beside numbers", "epoch=3 model=resnet18 loss=0.25", [(3, None, {"loss": 0.25})]),
    ("completed", "Epoch 3 completed in 12.5s, train_loss=0.25", [(3, None, {"train_loss": 0.25})]),
    ("loss at step", "Loss at step 100: 0.25", [(100, None, {"loss": 0.25})]),
    (
        "tqdm after carriage returns",
        f"\r  1%|▏         | 1/100 [00:01<01:00,  1.01s/it, loss=0.9]\r 50%|█████     | 50/100 "
        f"[00:10<00:10,  5.01it/s, loss=0.5]\r100%|{BAR}| 100/100 [00:20<00:00,  5.01it/s, loss=0.25]\n",
        [(1, None, {"loss": 0.9}), (50, None, {"loss": 0.5}), (100, None, {"loss": 0.25})],
    ),
    (
        "tqdm with a description",
        "\rEpoch 3/10 [train]:  50%|█████     | 50/100 [00:10<00:10,  5.01it/s, loss=0.5, acc=91.2%]",
        [(50, 3, {"train_loss": 0.5, "train_acc": 91.2})],
    ),
    (
        "tqdm description with the loss",
        "\rloss: 0.512:  50%|█████     | 50/100 [00:10<00:10,  5.01it/s]",
        [(50, None, {"loss": 0.512})],
    ),
    (
        "nested json",
        '{"epoch": 3, "train": {"loss": 0.5, "acc": 0.75}, "val": {"loss": 0.25}}',
        [(3, None, {"train/loss": 0.5, "train/acc": 0.75, "val/loss": 0.25})],
    ),
    (
        "nested dict after a prefix",
        STAMP + ",123 [INFO] trainer: {'step': 10, 'metrics': {'loss': 0.5}}",
        [(10, None, {"metrics/loss": 0.5})],
    ),
    # --- prefixes of loggers
    ("logging", STAMP + ",123 - trainer.core - INFO - epoch 3 loss: 0.5", [(3, None, {"loss": 0.5})]),
    ("logging, level first", "INFO:trainer.core:epoch=3 loss=0.5", [(3, None, {"loss": 0.5})]),
    ("loguru", STAMP + ".123 | INFO     | __main__:train:42 - epoch 3 loss 0.5", [(3, None, {"loss": 0.5})]),
    ("hydra", "[2024-01-02 12:30:01,123][__main__][INFO] - epoch 3 loss 0.5", [(3, None, {"loss": 0.5})]),
    (
        "transformers' logger",
        "[INFO|trainer.py:1234] 2024-01-02 12:30:01,123 >> epoch 3 loss: 0.5",
        [(3, None, {"loss": 0.5})],
    ),
    ("american date", "01/02/2024 12:30:01 - INFO - __main__ -   epoch 3 loss: 0.5", [(3, None, {"loss": 0.5})]),
    ("rich handler", "[12:30:01] INFO     epoch 3 loss: 0.5", [(3, None, {"loss": 0.5})]),
    (
        "iso time with zone",
        "2024-01-02T12:30:01.123456+00:00 INFO train.py:42 epoch 3 loss=0.5",
        [(3, None, {"loss": 0.5})],
    ),
    ("file and line", "[train.py:42] epoch 3 loss=0.5", [(3, None, {"loss": 0.5})]),
    ("rank", "[rank0]: epoch 3 loss=0.5", [(3, None, {"loss": 0.5})]),
    (
        "deepspeed",
        "[2024-01-02 12:30:01,123] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, loss=0.5",
        [(10, None, {"loss": 0.5})],
    ),
    ("ray", "(RayTrainWorker pid=1234) epoch 3 loss=0.5", [(3, None, {"loss": 0.5})]),
]

NOTHING: list[str] = [
    "Total params: 12345",
    "Total params: 12,345 (48.22 KB)",
    "Number of parameters: 124.34M",
    "number of parameters: 29.94M",
    "tokens per iteration will be: 16,384",
    "time: 12:30:01",
    "http://host:80",
    "localhost:8080",
    "lr: 0.1 (fixed)",
    "seed=42",
    "Found 1000 images in 2.5 s",
    "Epoch 3: val_loss improved from inf to 0.25120, saving model to best.keras",
    "Epoch 00005: reducing learning rate of group 0 to 1.0000e-04.",
    "Epoch 3 finished, best loss: 0.3 so far",
    "The loss: 0.5 is good",
    "accuracy 95",
    "loss 3 of 5 computed",
    "ValueError: 3.5",
    '  File "train.py", line 3, in <module>',
    "    loss = 0.5 * x",
    "version: 1.2.3",
    "torch==2.1.0 numpy==1.26.4",
    "Namespace(lr=0.1, momentum=0.9, epochs=10, seed=1)",
    "{'lr': 0.1, 'momentum': 0.9, 'batch_size': 64}",
    '{"model": {"width": 64, "depth": 2.5}, "optimizer": {"lr": 0.1}}',
    "Downloading model.safetensors:  50%|█████     | 250M/500M [00:10<00:10, 25.1MB/s]",
    "Downloading data: 100%|██████████| 9912422/9912422 [00:00<00:00, 15000000.12it/s]",
    "Loading checkpoint shards: 100%|██████████| 2/2 [00:01<00:00,  1.51it/s]",
    "2024-01-02 12:30:01.5 I tensorflow/core/util/port.cc:153] oneDNN custom operations are on: 0.5",
    "|   0  NVIDIA H100 80GB HBM3          On  | 00000000:04:00.0 Off |                    0 |",
    "| N/A   35C    P0    71W / 700W |   1024MiB / 81559MiB |      0%      Default |",
    "  | Name  | Type   | Params\n---------------------------------\n0 | layer | Linear | 7.9 K\n---------------------------------\n7.9 K     Trainable params\n0.031     Total estimated model params size (MB)",
    "name,price\nfoo,1.5",
    "drwxr-xr-x 2 user user 4096 Jan  2 12:30 results",
    "wandb:  loss 0.08",
    "              precision    recall  f1-score   support\n\n           0       0.98      0.97      0.98       980",
    "tensor([0.1, 0.2, 0.3])",
    "[0.1, 0.2, 0.3]",
    "epoch 3",
    "Epoch 3/10",
    "GPU 0: 45.5% 10.2GB",
    'INFO: 127.0.0.1:51234 - "GET /metrics HTTP/1.1" 200',
]


def expected(points: list[tuple[float, float | None, dict[str, float]]]) -> list[dict[str, Any]]:
    """Return the records of these points."""
    return [
        {"e": "metric", "step": step, "v": values, **({} if epoch is None else {"epoch": epoch})}
        for step, epoch, values in points
    ]
