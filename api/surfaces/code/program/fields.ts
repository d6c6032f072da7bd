import type { TSchema } from 'typebox'
import { fieldEntries } from '#kit'

export function fieldNamesOf(schema: TSchema | undefined): Set<string> {
  return new Set(schema ? fieldEntries(schema).map(([name]) => name) : [])
}
