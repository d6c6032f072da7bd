import type { Config } from '../config.ts'
import { githubProvider } from './github.ts'
import { googleProvider } from './google.ts'

export type ProviderName = 'github' | 'google'

/** What the browser must bring back unchanged, and what the provider never sees until the end. */
export interface Checks {
  state: string
  verifier: string
  nonce: string
}

export interface Person {
  /** What the provider calls this person for ever, unlike an address. */
  subject: string
  /** Only an address the provider has verified. */
  email?: string
}

/** One way to sign in by OAuth 2 with PKCE. */
export interface SignInProvider {
  name: ProviderName
  title: string
  begin(redirectUri: string): Promise<{ url: string; checks: Checks }>
  finish(answer: URL, checks: Checks): Promise<Person>
}

/** Those that are configured, in the order in which they are offered. */
export function openProviders(config: Pick<Config, 'github' | 'google'>): ReadonlyMap<string, SignInProvider> {
  const found: [string, SignInProvider][] = []
  if (config.github) found.push(['github', githubProvider(config.github)])
  if (config.google) found.push(['google', googleProvider(config.google)])
  return new Map(found)
}
