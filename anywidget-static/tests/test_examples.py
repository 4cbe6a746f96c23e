"""The contract, for the examples."""

import pytest

from contract import Contract


class TestExamples(Contract):
    @pytest.fixture(params=["Counter", "Greeting", "Interval", "Samples"])
    def example(self, request, examples):
        return examples[request.param]
