import type { Nouns } from '../../cli/verb.ts'

export default {
  plugin: {
    list: { args: [], summary: 'Print the operations of your own: what is in service, and why a file is refused.' },
    check: {
      args: ['<path>'],
      summary: 'Read a plugin as the service would and run its examples; no installation is needed.',
    },
  },
} satisfies Nouns
