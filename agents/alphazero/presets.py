"""Presets of the training: options by name."""

from collections.abc import Mapping

PRESETS: Mapping[str, str] = {
    "A7": (
        "architecture=256x10_pooled,selection=ucb,exploration=1.41,simulations=10,games=1,lanes=1,max_plies=100,random_plies=0,"
        "dirichlet_fraction=0,sampled_plies=100,discount=1,value_mix=0,symmetries=false,capacity=10000,kept=0.5,"
        "reuse=20,batch=64,learning_rate=0.001,learning_rate_end_share=1,weight_decay=0,iterations=20"
    ),
    "E": (
        "architecture=unpadded,selection=puct,exploration=1,simulations=2000,keep_tree=true,games=1,lanes=1,batch=none,"
        "dirichlet_fraction=0,sampled_plies=36,random_plies=0,value_mix=0,learning_rate=0.005,"
        "learning_rate_end_share=1,weight_decay=0.00001,iterations=50000"
    ),
}
"""The options by the name of the section: ``ci-envs train alphazero:preset=E ConnectN-v0 --output DIR``."""
