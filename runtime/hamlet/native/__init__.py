"""Texts of C as machine code: which compiler there is (`compilers`), shared libraries that are made once (`library`),
what all of them include (`hamlet.h`), and what this CPU can do (`cpu`)."""
