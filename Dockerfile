# The stand-alone checker: the kernel and the inequalities, on Python's standard library. It checks certificates that
# scanproof wrote, without scanproof:
#
#     docker build --tag scanproof-checker .
#     docker run --rm --network none --read-only --volume "$PWD/certificates:/certificates:ro" scanproof-checker

FROM python:3.13.14-alpine3.24@sha256:399babc8b49529dabfd9c922f2b5eea81d611e4512e3ed250d75bd2e7683f4b0

COPY proofs/kernel /checker/scanproof_checker/kernel
COPY proofs/inequalities /checker/scanproof_checker/inequalities

ENV PYTHONPATH=/checker PYTHONDONTWRITEBYTECODE=1
WORKDIR /certificates
USER 65532:65532

# -P: no module is taken from the folder of certificates.
ENTRYPOINT ["python", "-P", "-s", "-m", "scanproof_checker.inequalities"]
CMD ["."]
