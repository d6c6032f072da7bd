import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Screen a name against sanctions lists',
  lead: 'Names match across scripts, spellings, orders and typing errors, with an explanation of each match and a list of what was searched.',
  keywords: 'sanctions, pep, aml, ofac, compliance, kyc, name screening',
  steps: [
    {
      call: 'screening.match',
      input: { name: 'Quexington, Zorblat', type: 'person', dob: '1961-04-17', allowSample: true },
    },
  ],
  pitfalls: [
    'Read `coverage` first: `clear` is said only where every list that you asked for is loaded and fresh.',
    '`allowSample` searches invented entries where the operator has loaded no list. Leave it out in production.',
    'A name alone is never more than `review`. Give a date of birth or a country to tell people apart.',
    'A match that is somebody else can be dismissed, so that it does not come again.',
  ],
})
