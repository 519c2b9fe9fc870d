"""The S3 server of the store's tests."""

from tests.unit.evidence.conftest import s3_endpoint, s3_url

__all__ = ["s3_endpoint", "s3_url"]
