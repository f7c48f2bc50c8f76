"""A language model as the judge of a study, by any endpoint that speaks OpenAI's protocol.

prompts        what it reads
answers        what is read from its answers
conversations  one unit, from the topic to the look back; all that was sent and answered
asking         one request: stored answers, pace and money
work           a run, slice by slice
estimates      what a run will cost
acts           what is done to a run, for pages, REST and the command
"""
