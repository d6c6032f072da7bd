/** What is written for something else: a pattern without regard to case, what belongs there, and why. */
export interface PhraseRule {
  pattern: RegExp
  replacement: string
  rule: string
  message: string
}

function confused(pattern: string, replacement: string, message: string): PhraseRule {
  return { pattern: new RegExp(`\\b${pattern}\\b`, 'gi'), replacement, rule: 'confusion', message }
}

function wordy(pattern: string, replacement: string): PhraseRule {
  return {
    pattern: new RegExp(`\\b${pattern}\\b`, 'gi'),
    replacement,
    rule: 'wordiness',
    message: `“${replacement}” says the same.`,
  }
}

export const CONFUSIONS: readonly PhraseRule[] = [
  confused(
    '(could|should|would|must|might) of(?! (?:course|necessity|late|itself))',
    '$1 have',
    '“Have” belongs after this verb.',
  ),
  confused(
    '(more|less|better|worse|rather|other|greater|smaller|larger|faster|slower|higher|lower|older|younger|bigger) then(?= (?:the|an?|my|your|his|its|our|their|this|that|these|those|all|any|what|me|him|us|them|ever|before|expected|usual|average|\\d))',
    '$1 than',
    'Comparisons take “than”.',
  ),
  confused("it's own", 'its own', "“Its” shows possession; “it's” is short for “it is”."),
  confused('its(?= an? )', "it's", "“It's” is short for “it is” or “it has”."),
  confused('its (not|been|too|very|just|going to)', "it's $1", "“It's” is short for “it is” or “it has”."),
  confused(
    'its (raining|snowing|getting|becoming|happening|trying|(?:taking|doing|coming|going)(?! of)|time (?:to|for)|worth it|(?:clear|true|possible|impossible|important|hard|easy|difficult|likely|unlikely|great|nice|necessary) (?:to|that))',
    "it's $1",
    '“It’s” is short for “it is”.',
  ),
  confused('(?<=(?:^|[.!?,\\n]) ?)your welcome(?= ?(?:[.!,]|$))', "you're welcome", "“You're” is short for “you are”."),
  confused(
    'your (right that|wrong about|going to|not (?:going|allowed|able|sure|supposed|alone|the|an?))(?! of\\b)',
    "you're $1",
    "“You're” is short for “you are”.",
  ),
  confused(
    'their (is|are|was|were)(?= (?:a|an|no|some|many|several|the|two|three))',
    'there $1',
    '“There” belongs here.',
  ),
  confused("(he|she|it) don't", "$1 doesn't", "The third person takes “doesn't”."),
  confused('(you|we|they) was', '$1 were', 'The plural takes “were”.'),
  confused('(am|is|are|was|were|be) suppose to', '$1 supposed to', '“Supposed” belongs here.'),
  confused(
    "(?<!(?:did|didn't|did not|to|of) )(I|we|they|he|she|it) use to",
    '$1 used to',
    '“Used to” is what was the case before.',
  ),
  confused(
    'for all intensive purposes',
    'for all intents and purposes',
    'The phrase is “for all intents and purposes”.',
  ),
  confused(
    '(peaks|peaked|peak) (my|your|his|her|our|their) (interest|curiosity)',
    'piqued $2 $3',
    'Interest is piqued.',
  ),
  confused('irregardless', 'regardless', '“Regardless” is the word.'),
  confused('between (you|him|her|them) and I', 'between $1 and me', '“Between” takes “me”.'),
  confused(
    '(an?|the|no|any) (significant|major|huge|direct|positive|negative|big) affect on',
    '$1 $2 effect on',
    'The noun is “effect”.',
  ),
  confused('(a|the) affect of', '$1 effect of', 'The noun is “effect”.'),
  confused('in (lieu|light|spite) off', 'in $1 of', '“Of” belongs here.'),
  confused("who's (?=own\\b)", 'whose ', '“Whose” shows possession.'),
  confused('every since', 'ever since', 'The phrase is “ever since”.'),
  confused('case and point', 'case in point', 'The phrase is “case in point”.'),
  confused('one in the same', 'one and the same', 'The phrase is “one and the same”.'),
  confused('deep seeded', 'deep-seated', 'The phrase is “deep-seated”.'),
  confused('nip it in the butt', 'nip it in the bud', 'The phrase is “nip it in the bud”.'),
  confused('first come,? first serve(?!d)', 'first come, first served', 'The phrase is “first come, first served”.'),
  confused('by (in)? ?large part', 'in large part', 'The phrase is “in large part”.'),
]

export const WORDINESS: readonly PhraseRule[] = [
  wordy('in order to', 'to'),
  wordy('due to the fact that', 'because'),
  wordy('in spite of the fact that', 'although'),
  wordy('at this point in time', 'now'),
  wordy('at the present time', 'now'),
  wordy('in the event that', 'if'),
  wordy('for the purpose of', 'for'),
  wordy('with regards? to', 'about'),
  wordy('in regards to', 'about'),
  wordy('in the near future', 'soon'),
  wordy('a large number of', 'many'),
  wordy('the majority of', 'most'),
  wordy('has the ability to', 'can'),
  wordy('is able to', 'can'),
  wordy('until such time as', 'until'),
  wordy('on a (daily|weekly|monthly|yearly) basis', '$1'),
  wordy('very unique', 'unique'),
  wordy('utilize', 'use'),
  wordy('utilizes', 'uses'),
  wordy('utilized', 'used'),
  wordy('each and every', 'every'),
  wordy('absolutely essential', 'essential'),
  wordy('end result', 'result'),
  wordy('advance planning', 'planning'),
  wordy('past history', 'history'),
]
