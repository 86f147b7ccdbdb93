"""Replies in the style of language models, each with the action that a person reads in it: None if there is none."""

from ci_envs import ConnectFour, Nim, Quarto, Quixo, TicTacToe

TIC_TAC_TOE = TicTacToe(), "X../.O./... X"  # legal: all but a1 and b2
CONNECT_FOUR = ConnectFour(), "......./......./......./......./......./...X... O"
NIM = Nim(), "1,3,5,7 0"
QUARTO = Quarto(), "135./...8/..../..2. 7 0"  # piece 7 is to be placed
GIVING = Quarto(), "135./...8/..7./..2. - 0"
QUIXO = Quixo(5), "...../...../...../...../..... X"

REPLIES = (
    (TIC_TAC_TOE, "c3", "c3"),
    (TIC_TAC_TOE, "Action: c3", "c3"),
    (TIC_TAC_TOE, "action:C3", "c3"),
    (TIC_TAC_TOE, "**Action:** c3", "c3"),
    (TIC_TAC_TOE, "**Action: c3**", "c3"),
    (TIC_TAC_TOE, "Action: `c3`.", "c3"),
    (TIC_TAC_TOE, "I'll play c3.", "c3"),
    (TIC_TAC_TOE, "I'll play c3 because b2 is taken and a3 would be too passive.", "c3"),
    (TIC_TAC_TOE, "My move is B1! Have fun.", "b1"),
    (TIC_TAC_TOE, "The center b2 is taken, so the corner c1 is my best option.\n\nAction: c1", "c1"),
    (TIC_TAC_TOE, "If I play a2, O answers a3. If I play b1, O blocks c1. Action: b1", "b1"),
    (TIC_TAC_TOE, '{"action": "c2"}', "c2"),
    (TIC_TAC_TOE, '```json\n{"thought": "a3 loses", "action": "b3"}\n```', "b3"),
    (TIC_TAC_TOE, "<think>b1? No, a2 looks better. Or c3.</think>\na3", "a3"),
    (TIC_TAC_TOE, "<think>I should consider c3 and then a2", None),
    (TIC_TAC_TOE, "<answer>c1</answer>", "c1"),
    (TIC_TAC_TOE, r"Therefore the answer is \boxed{c3}.", "c3"),
    (TIC_TAC_TOE, r"$\boxed{\text{a3}}$", "a3"),
    (TIC_TAC_TOE, "[b3]", "b3"),
    (TIC_TAC_TOE, "Action: b2", "b2"),  # illegal: taken
    (TIC_TAC_TOE, "b2", "b2"),
    (TIC_TAC_TOE, "I would have liked b2, but it is occupied, so c3.", "c3"),
    (TIC_TAC_TOE, "Let me go with c1, not a3.", "c1"),
    (TIC_TAC_TOE, "I choose a2 instead of b1.", "a2"),
    (TIC_TAC_TOE, "c3 is better than a3", "c3"),
    (TIC_TAC_TOE, "I resign.", None),
    (TIC_TAC_TOE, "", None),
    (TIC_TAC_TOE, "Sorry, as a language model I cannot play games.", None),
    (TIC_TAC_TOE, "Action: d4", None),
    (TIC_TAC_TOE, "Action: a2\nWait, that lets O win. Action: c1", "c1"),
    (TIC_TAC_TOE, "FINAL ANSWER = C2", "c2"),
    (TIC_TAC_TOE, "My final answer is: **b1**", "b1"),
    (TIC_TAC_TOE, "The best move here is to play c3, since it prepares c1 and a3.", "c3"),
    (CONNECT_FOUR, "d", "d"),
    (CONNECT_FOUR, "Action: e", "e"),
    (CONNECT_FOUR, "I will drop my disc into column c.", "c"),
    (CONNECT_FOUR, "A strong reply is a central one. I play column D.", "d"),
    (CONNECT_FOUR, "I think a good plan is to build a diagonal.", None),
    (CONNECT_FOUR, "Column 4 is the centre, so column 4.", "d"),
    (CONNECT_FOUR, "The best action is 'b'", "b"),
    (CONNECT_FOUR, "Action: a", "a"),
    (CONNECT_FOUR, "The best move is a block in column f", "f"),
    (NIM, "Action: 4-7", "4-7"),
    (NIM, "The nim-sum is 0, so I take 2 from heap 3.", "3-2"),
    (NIM, "I'll remove one match from pile 1.", "1-1"),
    (NIM, "4\u20133", "4-3"),
    (NIM, "From heap 4, I will take 5 matches", "4-5"),
    (NIM, "Action: 2-9", None),
    (QUARTO, "Action: D1 (it completes the row)", "d1"),
    (QUARTO, "I place the piece on d1.", "d1"),
    (GIVING, "I will give you piece 4.", "give4"),
    (GIVING, "Action: give b", None),
    (GIVING, "Action: giveb", "giveb"),
    (GIVING, "Action: give5", "give5"),  # illegal: it is on the board
    (QUIXO, "Action: a1e1", "a1e1"),
    (QUIXO, "I take the cube at a1 and push it in at e1.\nAction: a1-e1", "a1e1"),
    (QUIXO, "a1 -> a5", "a1a5"),
    (QUIXO, "I move A1 to E1.", "a1e1"),
    (QUIXO, "Action: a1e1 is blocked? No: all cubes are blank. Action: c1c5", "c1c5"),
)
