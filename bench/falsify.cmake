# SPDX-License-Identifier: BSD-3-Clause
# Copies the set nws with one reference value changed: cmake -Dright=FOLDER -Dwrong=FOLDER -P falsify.cmake
file(COPY "${right}/nws.jsonl" DESTINATION "${wrong}")
file(READ "${right}/nws_references.json" references)
string(JSON references SET "${references}" labeled 0.05 0 2 "0.123")
file(WRITE "${wrong}/nws_references.json" "${references}")
