from .agent import SB3Agent
from .model_file import save_model
from .vec_env import BoardsVecEnv

__all__ = ["BoardsVecEnv", "SB3Agent", "save_model"]
