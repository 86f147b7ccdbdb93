"""The course reports on which this project is based, section by section.

``ci-envs reports`` lists the sections and runs them. Each section shows four figures under the conditions of the
report: the published figure, the result of a literal re-implementation, the result of the method as the report
describes it (without its bugs), and our best result.
"""
