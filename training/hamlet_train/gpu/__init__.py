"""The learner of `hamlet_train.ppo` on a GPU: the same order of operations as Triton kernels, hence the same bits.

What is serial in that order is serial here, in one thread; what runs side by side are outputs, samples, parameters,
lanes and groups. Nothing is added atomically, and no matrix instruction is used, since none states its order.
"""
