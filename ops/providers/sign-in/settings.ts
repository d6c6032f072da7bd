import type { Static, TObject } from 'typebox'
import { declareSettings, type ProviderConfig, readPair } from '../../variables/declaration.ts'
import { OptionalText, Url } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    github?: OAuthConfig & { apiUrl: string }
    google?: OAuthConfig
  }
}

export interface OAuthConfig {
  clientId: string
  clientSecret: string
  url: string
}

const variables = {
  GITHUB_CLIENT_ID: OptionalText({
    displayDefault: 'no GitHub',
    description: 'OAuth application for signing in with GitHub.',
  }),
  GITHUB_CLIENT_SECRET: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Secret of that application.',
  }),
  GITHUB_URL: Url({ default: 'https://github.com', description: 'GitHub, or a GitHub Enterprise server.' }),
  GITHUB_API_URL: Url({ default: 'https://api.github.com', description: 'The API of that GitHub.' }),
  GOOGLE_CLIENT_ID: OptionalText({
    displayDefault: 'no Google',
    description: 'OAuth application for signing in with Google.',
  }),
  GOOGLE_CLIENT_SECRET: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Secret of that application.',
  }),
  GOOGLE_ISSUER: Url({ default: 'https://accounts.google.com', description: 'Issuer of the OpenID tokens.' }),
}

type Values = Static<TObject<typeof variables>>

export default declareSettings({
  title: 'Sign-in',
  variables,
  read: values => ({
    github: readGithubConfig(values),
    google: readOAuthConfig(values, 'GOOGLE', values.GOOGLE_ISSUER),
  }),
})

function readGithubConfig(values: Values): ProviderConfig['github'] {
  const github = readOAuthConfig(values, 'GITHUB', values.GITHUB_URL)
  return github && { ...github, apiUrl: values.GITHUB_API_URL.replace(/\/+$/, '') }
}

function readOAuthConfig(values: Values, name: 'GITHUB' | 'GOOGLE', url: string): OAuthConfig | undefined {
  const [clientId, clientSecret] = readPair(values, `${name}_CLIENT_ID`, `${name}_CLIENT_SECRET`)
  return clientId && clientSecret ? { clientId, clientSecret, url: url.replace(/\/+$/, '') } : undefined
}
