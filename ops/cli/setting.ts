import type { Db } from '../../sql/db.ts'
import { isSettingName, readSettings, type SettingName, TUNABLES, writeSetting } from '../../sql/setting.ts'
import { formatTable } from './print.ts'
import { type Runs, UsageError } from './verb.ts'

export const runs: Runs = {
  async get({ db }, [name]) {
    const setting = (await listSettings(db)).find(({ name: known }) => known === parseName(name!))!
    return { data: setting, text: formatValue(setting.value) }
  },
  async set({ db }, [name, text]) {
    const settingName = parseName(name!)
    const value = text === 'default' ? null : parseValue(settingName, text!)
    await writeSetting(db, settingName, value)
    const current = value ?? TUNABLES[settingName].default
    return { data: { name: settingName, value: current }, text: `${settingName} is ${formatValue(current)}` }
  },
  async list({ db }) {
    const all = await listSettings(db)
    const lines = all.map(({ name, value, isTurned, summary }) => [
      name,
      `${formatValue(value)}${isTurned ? ' *' : ''}`,
      summary,
    ])
    return { data: all, text: formatTable(['name', 'value', 'meaning'], lines) }
  },
}

async function listSettings(db: Db) {
  const changed = await readSettings(db)
  return Object.entries(TUNABLES).map(([name, tunable]) => {
    const isTurned = Object.hasOwn(changed, name)
    return {
      name,
      value: isTurned ? changed[name] : tunable.default,
      isTurned,
      default: tunable.default,
      summary: tunable.summary,
    }
  })
}

function parseName(name: string): SettingName {
  if (isSettingName(name)) return name
  throw new UsageError(`There is no setting ${name}; "setting list" prints all of them.`)
}

function parseValue(name: SettingName, text: string): unknown {
  const fallback = TUNABLES[name].default
  if (Array.isArray(fallback)) return text === '' ? [] : text.split(',').map(word => word.trim())
  if (typeof fallback === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true'
    throw new UsageError(`${name} must be true or false, not "${text}".`)
  }
  if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  throw new UsageError(`${name} must be a number, not "${text}".`)
}

function formatValue(value: unknown): string {
  return Array.isArray(value) ? value.join(',') || '(none)' : String(value)
}
