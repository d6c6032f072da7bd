import { readFile } from 'node:fs/promises'
import type { ClientCall } from '../../calls.ts'
import type { CallHelp } from '../../help.ts'
import type { Installation } from '../client.ts'
import { nearestOf, UsageError } from './usage.ts'

/** Read only when a command needs it, because it is long. */
export async function readHelp(): Promise<Record<string, CallHelp>> {
  return JSON.parse(await readFile(new URL('help.json', import.meta.url), 'utf8')) as Record<string, CallHelp>
}

export function listFamilies({ calls }: Installation): string[] {
  return [...new Set(calls.map(({ family }) => family))]
}

export function verbOf({ name, family }: ClientCall): string {
  return name.slice(family.length + 1)
}

export function findFamily(installation: Installation, family: string): ClientCall[] {
  const members = installation.calls.filter(call => call.family === family)
  if (members.length > 0) return members
  throw new UsageError(`there is no command ${family}${hint(nearestOf(family, listFamilies(installation)))}`)
}

export function findCall(installation: Installation, family: string, verb: string): ClientCall {
  const members = findFamily(installation, family)
  const call = members.find(member => verbOf(member) === verb)
  if (call) return call
  const near = nearestOf(verb, members.map(verbOf))
  throw new UsageError(`there is no command ${family} ${verb}${hint(near && `${family} ${near}`)}`)
}

function hint(near: string | undefined): string {
  return near === undefined ? ': coinop --help lists them' : `: did you mean ${near}?`
}
