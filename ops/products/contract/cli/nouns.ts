import type { Nouns } from '../../../cli/verb.ts'

export default {
  dispute: {
    list: {
      args: [],
      summary: 'Print the disputes that wait for the ruling of the operator, with all that was handed in.',
    },
    rule: {
      args: ['<dispute>', '<outcome>', '<summary>'],
      flags: ['relief'],
      summary: 'Rule upon a dispute: for_claimant, for_respondent, split, dismissed or inconclusive.',
    },
  },
} satisfies Nouns
