import type { Nouns } from '../../../cli/verb.ts'

export default {
  webhook: {
    list: { args: ['<account>'], summary: 'Print the webhooks of an account.' },
    deliveries: {
      args: ['<account>', '<webhook>'],
      flags: ['limit'],
      summary: 'Print what a webhook was sent, newest first.',
    },
    redeliver: { args: ['<account>', '<webhook>', '<delivery>'], summary: 'Send a delivery again.' },
  },
} satisfies Nouns
