import { defineLinkVisitors } from '../../intake/identity/link-visitor.ts'
import { LINK, SESSION } from './schema.ts'

/** The person who is verified, who comes by a link. */
export const { readLink, readSession, markVisitor } = defineLinkVisitors({
  kind: 'verify',
  perMinute: settings => settings.get('rate.verifications_per_minute'),
  link: LINK,
  session: SESSION,
  cookie: 'svc_verify',
  header: 'x-verify-session',
})
