"""The harness that answers crypto analysts' questions: understanding, data tools, long answers with marks."""
