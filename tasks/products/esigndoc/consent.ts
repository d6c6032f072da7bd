import type { Language } from './terms.ts'

const CONSENT_VERSION = '1'

/** What a signer agrees to. Its words are stored with the signature; a change of them needs another version. */
const CONSENTS: Record<Language, string> = {
  en: 'I have read the document, I agree to sign it electronically, and I want my electronic signature to count like one by hand.',
  de: 'Ich habe das Dokument gelesen, bin einverstanden, es elektronisch zu unterschreiben, und möchte, dass meine elektronische Unterschrift wie eine eigenhändige gilt.',
  fr: 'J’ai lu le document, j’accepte de le signer électroniquement et je souhaite que ma signature électronique vaille comme une signature manuscrite.',
  es: 'He leído el documento, acepto firmarlo electrónicamente y quiero que mi firma electrónica valga como una firma manuscrita.',
}

/** What an approver agrees to. */
const APPROVALS: Record<Language, string> = {
  en: 'I have read the document and approve it.',
  de: 'Ich habe das Dokument gelesen und stimme ihm zu.',
  fr: 'J’ai lu le document et je l’approuve.',
  es: 'He leído el documento y lo apruebo.',
}

export function chooseConsent(language: Language, role: string): { version: string; text: string } {
  return { version: CONSENT_VERSION, text: (role === 'approver' ? APPROVALS : CONSENTS)[language] }
}
