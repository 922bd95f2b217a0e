#!/usr/bin/env perl
# Not Python at all: the first line names the interpreter, settings come from the environment.
use strict;
use warnings;

my $lr = $ENV{LR} // 0.1;
my $weight = 5;
for my $epoch (1 .. 4) {
    $weight -= $lr * 2 * $weight;
    printf "epoch %d, error: %.4f\n", $epoch, $weight**2;
}
