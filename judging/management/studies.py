from django.core.management.base import CommandError

from judging.models import Study


def study_of(slug: str) -> Study:
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise CommandError(f"There is no study {slug}.")
    return study
