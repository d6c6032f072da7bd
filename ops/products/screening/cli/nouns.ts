import type { Nouns } from '../../../cli/verb.ts'

export default {
  screening: {
    lists: {
      args: [],
      flags: [],
      summary: 'Print the screening lists with their versions, entries and times, and why one could not be loaded.',
    },
    refresh: {
      args: ['<list>'],
      flags: [],
      summary: 'Look for a new version of a list as soon as a worker is free, instead of after the hours that are set.',
    },
  },
} satisfies Nouns
