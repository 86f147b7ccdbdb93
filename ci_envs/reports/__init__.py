"""The course reports that this project grew out of, section by section.

``ci-envs reports`` lists the sections and runs them. Each section shows what its report printed, what a literal
re-implementation gives, what the report described (with its bugs repaired), and our own result, all measured under the
conditions of the report.
"""
