"""All readers of bytes that come from outside, by name."""

from tests.fuzzing.readers.archives import ARCHIVES
from tests.fuzzing.readers.files import FILES
from tests.fuzzing.readers.operators import OPERATORS
from tests.fuzzing.readers.people import PEOPLE
from tests.fuzzing.readers.requests import ARRIVING
from tests.fuzzing.readers.studies import STUDIES

READERS = {
    reader.name: reader for reader in (*FILES, *ARCHIVES, *STUDIES, *PEOPLE, *ARRIVING, *OPERATORS)
}
