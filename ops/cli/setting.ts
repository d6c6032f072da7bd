import type { Db } from '../../sql/db.ts'
import { isSettingName, readSettings, type SettingName, TUNABLES, writeSetting } from '../../sql/setting.ts'
import { table } from './print.ts'
import { Mistake, type Verbs } from './verb.ts'

export const verbs: Verbs = {
  get: {
    args: ['<name>'],
    summary: 'Print the value of a setting.',
    async run({ db }, [name]) {
      const setting = (await settings(db)).find(({ name: known }) => known === nameOf(name!))!
      return { data: setting, text: shown(setting.value) }
    },
  },
  set: {
    args: ['<name>', '<value>'],
    summary: 'Turn a setting while everything runs; the value `default` puts its default back.',
    async run({ db }, [name, text]) {
      const known = nameOf(name!)
      const value = text === 'default' ? null : readValue(known, text!)
      await writeSetting(db, known, value)
      const now = value ?? TUNABLES[known].default
      return { data: { name: known, value: now }, text: `${known} is ${shown(now)}` }
    },
  },
  list: {
    args: [],
    summary: 'Print all settings; a star marks those that were turned.',
    async run({ db }) {
      const all = await settings(db)
      const lines = all.map(({ name, value, isTurned, summary }) => [
        name,
        `${shown(value)}${isTurned ? ' *' : ''}`,
        summary,
      ])
      return { data: all, text: table(['name', 'value', 'meaning'], lines) }
    },
  },
}

async function settings(db: Db) {
  const turned = await readSettings(db)
  return Object.entries(TUNABLES).map(([name, tunable]) => {
    const isTurned = Object.hasOwn(turned, name)
    return {
      name,
      value: isTurned ? turned[name] : tunable.default,
      isTurned,
      default: tunable.default,
      summary: tunable.summary,
    }
  })
}

function nameOf(name: string): SettingName {
  if (isSettingName(name)) return name
  throw new Mistake(`There is no setting ${name}; setting list names them all.`)
}

function readValue(name: SettingName, text: string): unknown {
  const byDefault = TUNABLES[name].default
  if (Array.isArray(byDefault)) return text === '' ? [] : text.split(',').map(word => word.trim())
  if (typeof byDefault === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true'
    throw new Mistake(`${name} is true or false, not "${text}".`)
  }
  if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  throw new Mistake(`${name} is a number, not "${text}".`)
}

function shown(value: unknown): string {
  return Array.isArray(value) ? value.join(',') || '(none)' : String(value)
}
