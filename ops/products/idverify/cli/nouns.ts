import type { Nouns } from '../../../cli/verb.ts'

export default {
  idverify: {
    queue: { args: [], flags: ['limit'], summary: 'Print the identities that wait for a decision, the oldest first.' },
    link: {
      args: ['<reviewer>'],
      flags: ['hours'],
      summary: 'Print a link by which a reviewer sees and decides all of them, for 8 hours if no other time is given.',
    },
    decide: {
      args: ['<id>', '<decision>'],
      flags: ['reasons', 'note', 'by'],
      summary: 'Decide one, approved or declined, with reason codes separated by commas.',
    },
  },
} satisfies Nouns
