import type { Static, TObject, TSchema } from 'typebox'

/** A variable has an invalid value; the message is one sentence that names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** What the providers add to the configuration. The settings of each capability add theirs where they are declared. */
// biome-ignore lint/suspicious/noEmptyInterface: the capabilities fill it
export interface ProviderConfig {}

/** What is known before the settings of providers are read. */
interface Base {
  port: number
  publicUrl: string
}

interface Settings<Fields extends Record<string, TSchema>> {
  /** Of their table in ops/CONFIGURATION.md. */
  title: string
  variables: Fields
  /** It names no service, so a quiet installation keeps it. */
  isLocal?: boolean
  /** Secrets that only this process gets, because only it calls the providers. */
  secretsOf?: { api?: readonly (keyof Fields & string)[]; worker?: readonly (keyof Fields & string)[] }
  read(values: Static<TObject<Fields>>, base: Base): Partial<ProviderConfig>
}

export interface ProviderSettings extends Omit<Settings<Record<string, TSchema>>, 'read'> {
  read(values: never, base: Base): Partial<ProviderConfig>
}

/** Declares what an operator sets for a capability: `ops/providers/<capability>/settings.ts` default-exports it. */
export function declareSettings<const Fields extends Record<string, TSchema>>(
  settings: Settings<Fields>,
): ProviderSettings {
  return settings as ProviderSettings
}

/** Both or neither. */
export function readPair<Values, Name extends keyof Values & string>(
  values: Values,
  one: Name,
  other: Name,
): [Values[Name], Values[Name]] {
  if (!values[one] !== !values[other]) throw new ConfigError(`${one} and ${other} must be set together.`)
  return [values[one], values[other]]
}

export function splitList(text: string): string[] {
  return text.split(',').flatMap(word => word.trim() || [])
}
