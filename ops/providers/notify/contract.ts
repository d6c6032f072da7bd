/** What a person or a program is told. */
export interface Notice {
  /** The same if it is sent again after a crash. */
  key: string
  title: string
  /** A quiet one makes no sound where the receiver can be told so. */
  isQuiet: boolean
  text: string
  /** Where to reply. */
  url: string
  expiresAt: string
  /** The whole as data, for programs. */
  body: object
}

export interface Notifier {
  /** Returns why the receiver will never take it, or undefined if it was taken. Throws if another attempt may succeed. */
  send(to: string, notice: Notice, signal: AbortSignal): Promise<string | undefined>
}

/** By the kind of the receiver; what is not configured is missing. */
export interface Notifiers {
  webhook: Notifier
  /** Takes addresses of incoming webhooks, and the names of channels and users if a bot is configured. */
  slack: Notifier
  telegram?: Notifier
  sms?: Notifier
}

/** Posts to a server of somebody else, where that is allowed. */
export type Post = (
  url: string,
  message: { headers: Record<string, string>; body: string; signal: AbortSignal },
) => Promise<{ status: number; body: string }>
