import type { Config } from '../../config.ts'
import type { SignInProvider } from './contract.ts'
import { createGithubProvider } from './github.ts'
import { createGoogleProvider } from './google.ts'

/** Opens the configured providers, in the order in which the sign-in page shows them. Mail links need none. */
export function openSignInProviders(config: Pick<Config, 'github' | 'google'>): ReadonlyMap<string, SignInProvider> {
  const entries: [string, SignInProvider][] = []
  if (config.github) entries.push(['github', createGithubProvider(config.github)])
  if (config.google) entries.push(['google', createGoogleProvider(config.google)])
  return new Map(entries)
}
