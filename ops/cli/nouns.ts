import type { Nouns } from './verb.ts'

/** Commands of the platform. They are declared apart from the code that runs them, so that `--help` loads nothing else. */
export const PLATFORM_NOUNS: Nouns = {
  account: {
    create: { args: [], flags: ['name'], summary: 'Open an account and print its id.' },
    credit: {
      args: ['<id>', '<usd>'],
      flags: ['reference'],
      summary: 'Add money to an account; with --reference once, however often it is repeated.',
    },
    show: { args: ['<id>'], summary: 'Print an account and its balance.' },
    list: { args: [], flags: ['limit'], summary: 'Print the newest accounts.' },
    link: {
      args: ['<id>'],
      summary: 'Print a link that opens the dashboard of an account; it works once and for 15 minutes.',
    },
    suspend: { args: ['<id>'], summary: 'Refuse every call of an account.' },
    resume: { args: ['<id>'], summary: 'Accept its calls again.' },
    lanes: {
      args: ['<id>'],
      flags: ['share', 'running', 'urgency'],
      summary:
        'Print how the jobs of an account share the lanes, or set it: --share percent of the places, --running jobs at once, --urgency low, normal or high; `default` restores the standard.',
    },
    export: {
      args: ['<id>'],
      summary: 'Print everything that is kept of an account as JSON; files are listed by key.',
    },
    erase: {
      args: ['<id>'],
      switches: ['yes'],
      summary: 'Close an account and delete everything that is kept of it, but for its transfers.',
    },
  },
  key: {
    create: { args: ['<account>'], flags: ['name'], summary: 'Create a key and print it; it cannot be shown again.' },
    list: {
      args: ['<account>'],
      summary: 'Print the keys of an account by prefix, with their names and when they were last used.',
    },
    revoke: { args: ['<account>', '<prefix>'], summary: 'Revoke a key, named by its prefix.' },
  },
  setting: {
    get: { args: ['<name>'], summary: 'Print the value of a setting.' },
    set: {
      args: ['<name>', '<value>'],
      summary: 'Change a setting without a restart; the value `default` restores its default.',
    },
    list: { args: [], summary: 'Print all settings; a star marks those that were changed.' },
  },
  price: {
    list: {
      args: [],
      summary: 'Print what the first example of each call costs by default and now; a star marks changed prices.',
    },
    set: {
      args: ['<operation>', '<usd>'],
      switches: ['force'],
      summary:
        'Set what the first example of a call costs, and all its other prices in proportion; `default` restores them.',
    },
  },
  job: {
    list: {
      args: [],
      flags: ['status', 'account', 'from', 'to', 'operation', 'key', 'limit'],
      summary: 'Print the newest jobs, if wanted those of some days, of one operation or of one key.',
    },
    show: { args: ['<id>'], summary: 'Print one job, with its problem if it failed.' },
    retry: { args: ['<id>'], summary: 'Start a job that waits for its next attempt at once.' },
    cancel: { args: ['<id>'], summary: 'Cancel a job and release the money it holds.' },
  },
  pool: {
    list: { args: [], summary: 'Print each lane with its setting, its running jobs and its waiting jobs.' },
    set: {
      args: ['<lane>', '<n>'],
      summary: 'Set how many jobs of a lane one worker runs at once; no restart is needed.',
    },
  },
  provider: {
    usage: {
      args: [],
      flags: ['days'],
      summary: 'Print what was asked of the language models and what it cost, by day.',
    },
  },
  steps: {
    '': {
      args: [],
      flags: ['limit'],
      summary:
        'Print the background steps of products: dead ones, which have failed for good, failing and waiting ones.',
    },
    retry: {
      args: ['[<id>]'],
      switches: ['all'],
      summary: 'Run a step again that has failed; with --all every dead one.',
    },
  },
  incident: {
    list: { args: [], flags: ['limit'], summary: 'Print the incidents of the last year, the newest first.' },
    open: {
      args: ['<title>', '<text>'],
      flags: ['impact', 'components'],
      summary:
        'Tell customers of trouble on the status page: impact degraded, outage or maintenance, and the components, separated by commas.',
    },
    update: {
      args: ['<id>', '<text>'],
      flags: ['state'],
      summary: 'Add to an incident: state investigating, identified or monitoring.',
    },
    resolve: { args: ['<id>', '<text>'], summary: 'End an incident.' },
  },
  retention: {
    '': { args: [], summary: 'Print what is kept for how long, what removes it and how much of it is due.' },
  },
  operator: {
    create: {
      args: ['<name>'],
      flags: ['role'],
      summary: 'Add an operator of the console (role read, support or full) and print a link to sign in with.',
    },
    link: { args: ['<name>'], summary: 'Print a new link with which an operator chooses what to sign in with.' },
    role: { args: ['<name>', '<role>'], summary: 'Change what an operator may do.' },
    close: {
      args: ['<name>'],
      summary: 'Close the console to an operator, end their sessions and forget what they sign in with.',
    },
    open: { args: ['<name>'], summary: 'Open the console to an operator again, who signs in by a new link.' },
    list: { args: [], summary: 'Print the operators of the console.' },
  },
  backup: {
    create: {
      args: [],
      flags: ['to'],
      summary: 'Copy database, objects and secret, encrypted with BACKUP_KEY, to BACKUP_TO or to a folder or bucket.',
    },
    list: {
      args: [],
      flags: ['limit'],
      summary: 'Print the backups that are whole, and those that failed.',
    },
    verify: {
      args: ['[<id>]'],
      flags: ['from'],
      summary:
        'Read all of a backup, the newest whole one if none is named, and compare it with its hashes; damaged ones are listed.',
    },
    restore: {
      args: ['<from>', '[<id>]'],
      flags: ['database-url', 'data-dir'],
      switches: ['quiet', 'awake'],
      summary:
        'Make an installation of a backup: in a new data folder, and in an empty database or the embedded one. It is quiet until it is woken.',
    },
    quiet: {
      args: [],
      summary: 'Make an installation quiet, such as one that was copied by other means, before its service is started.',
    },
    wake: { args: [], summary: 'Let a quiet installation settle payments, send messages and call providers again.' },
  },
  ledger: {
    verify: {
      args: [],
      switches: ['last'],
      summary:
        'Check the ledger, every stored object, every witness and every log; with --last print what the last check found.',
    },
  },
  doctor: {
    '': { args: [], summary: 'Report what works, what is missing and how to install it.' },
  },
  migrate: {
    '': { args: [], summary: 'Migrate the database to the schema of this release.' },
  },
}
