type ProviderName = 'github' | 'google'

/** The values of one sign-in attempt that its answer is checked against. */
export interface FlowChecks {
  state: string
  verifier: string
  nonce: string
}

interface ProviderIdentity {
  /** The provider's permanent id of the user; an email address can change. */
  subject: string
  /** Present only if the provider has verified it. */
  email?: string
}

/** Signs users in with OAuth 2 and PKCE. */
export interface SignInProvider {
  name: ProviderName
  title: string
  startFlow(redirectUri: string): Promise<{ url: string; checks: FlowChecks }>
  finishFlow(answer: URL, checks: FlowChecks): Promise<ProviderIdentity>
}
