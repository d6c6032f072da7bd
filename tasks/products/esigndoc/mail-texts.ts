import type { Language } from './terms.ts'

type Asked = 'signer' | 'witness' | 'approver' | 'viewer'
type Outcome = 'completed' | 'rejected' | 'cancelled'

interface MailTexts {
  hello: string
  subjects: Record<Asked, string>
  asks: Record<Asked, string>
  reminder: string
  until: string
  warning: string
  codeSubject: string
  code: string
  endSubjects: Record<Outcome, string>
  ends: Record<Outcome, string>
}

export const MAIL_TEXTS: Record<Language, MailTexts> = {
  en: {
    hello: 'Hello {{recipient.name}},',
    subjects: {
      signer: 'Please sign: {{title}}',
      witness: 'Please sign as a witness: {{title}}',
      approver: 'Please approve: {{title}}',
      viewer: 'For you to read: {{title}}',
    },
    asks: {
      signer: '{{sender}} asks you to sign "{{title}}". Read and sign it here:',
      witness: '{{sender}} asks you to sign "{{title}}" as a witness. Read and sign it here:',
      approver: '{{sender}} asks you to approve "{{title}}". Read and approve it here:',
      viewer: '{{sender}} gives you "{{title}}" to read:',
    },
    reminder: 'Reminder',
    until: 'The link can be used until {{expiresAt}}.',
    warning: 'Whoever has this link can use it in your name, so do not pass it on.',
    codeSubject: 'Your code for {{title}}',
    code: 'Your code to sign "{{title}}" is {{code}}. It is valid for ten minutes. Tell it to no one.',
    endSubjects: {
      completed: 'Signed by all: {{title}}',
      rejected: 'Declined: {{title}}',
      cancelled: 'Cancelled: {{title}}',
    },
    ends: {
      completed: 'Everybody has signed "{{title}}". The sealed document is here:',
      rejected: 'Somebody has declined "{{title}}", so it will not be signed.',
      cancelled: '{{sender}} has cancelled "{{title}}". Nothing more is needed of you.',
    },
  },
  de: {
    hello: 'Guten Tag {{recipient.name}},',
    subjects: {
      signer: 'Bitte unterschreiben: {{title}}',
      witness: 'Bitte als Zeuge unterschreiben: {{title}}',
      approver: 'Bitte zustimmen: {{title}}',
      viewer: 'Zum Lesen: {{title}}',
    },
    asks: {
      signer: '{{sender}} bittet Sie, „{{title}}“ zu unterschreiben. Hier lesen und unterschreiben Sie es:',
      witness: '{{sender}} bittet Sie, „{{title}}“ als Zeuge zu unterschreiben. Hier lesen und unterschreiben Sie es:',
      approver: '{{sender}} bittet Sie, „{{title}}“ zuzustimmen. Hier lesen Sie es und stimmen zu:',
      viewer: '{{sender}} gibt Ihnen „{{title}}“ zu lesen:',
    },
    reminder: 'Erinnerung',
    until: 'Der Link gilt bis {{expiresAt}}.',
    warning: 'Wer diesen Link hat, kann ihn in Ihrem Namen benutzen; geben Sie ihn nicht weiter.',
    codeSubject: 'Ihr Code für {{title}}',
    code: 'Ihr Code, um „{{title}}“ zu unterschreiben, ist {{code}}. Er gilt zehn Minuten. Sagen Sie ihn niemandem.',
    endSubjects: {
      completed: 'Von allen unterschrieben: {{title}}',
      rejected: 'Abgelehnt: {{title}}',
      cancelled: 'Zurückgezogen: {{title}}',
    },
    ends: {
      completed: 'Alle haben „{{title}}“ unterschrieben. Hier ist das versiegelte Dokument:',
      rejected: '„{{title}}“ wurde abgelehnt und wird nicht unterschrieben.',
      cancelled: '{{sender}} hat „{{title}}“ zurückgezogen. Sie müssen nichts mehr tun.',
    },
  },
  fr: {
    hello: 'Bonjour {{recipient.name}},',
    subjects: {
      signer: 'À signer : {{title}}',
      witness: 'À signer comme témoin : {{title}}',
      approver: 'À approuver : {{title}}',
      viewer: 'À lire : {{title}}',
    },
    asks: {
      signer: '{{sender}} vous demande de signer « {{title}} ». Lisez-le et signez-le ici :',
      witness: '{{sender}} vous demande de signer « {{title}} » comme témoin. Lisez-le et signez-le ici :',
      approver: '{{sender}} vous demande d’approuver « {{title}} ». Lisez-le et approuvez-le ici :',
      viewer: '{{sender}} vous donne « {{title}} » à lire :',
    },
    reminder: 'Rappel',
    until: 'Le lien est valable jusqu’au {{expiresAt}}.',
    warning: 'Quiconque a ce lien peut l’utiliser en votre nom ; ne le transmettez pas.',
    codeSubject: 'Votre code pour {{title}}',
    code: 'Votre code pour signer « {{title}} » est {{code}}. Il est valable dix minutes. Ne le communiquez à personne.',
    endSubjects: {
      completed: 'Signé par tous : {{title}}',
      rejected: 'Refusé : {{title}}',
      cancelled: 'Annulé : {{title}}',
    },
    ends: {
      completed: 'Tout le monde a signé « {{title}} ». Le document scellé est ici :',
      rejected: '« {{title}} » a été refusé et ne sera pas signé.',
      cancelled: '{{sender}} a annulé « {{title}} ». Vous n’avez plus rien à faire.',
    },
  },
  es: {
    hello: 'Hola, {{recipient.name}}:',
    subjects: {
      signer: 'Para firmar: {{title}}',
      witness: 'Para firmar como testigo: {{title}}',
      approver: 'Para aprobar: {{title}}',
      viewer: 'Para leer: {{title}}',
    },
    asks: {
      signer: '{{sender}} le pide que firme «{{title}}». Léalo y fírmelo aquí:',
      witness: '{{sender}} le pide que firme «{{title}}» como testigo. Léalo y fírmelo aquí:',
      approver: '{{sender}} le pide que apruebe «{{title}}». Léalo y apruébelo aquí:',
      viewer: '{{sender}} le da «{{title}}» para leer:',
    },
    reminder: 'Recordatorio',
    until: 'El enlace es válido hasta el {{expiresAt}}.',
    warning: 'Quien tenga este enlace puede usarlo en su nombre; no lo comparta.',
    codeSubject: 'Su código para {{title}}',
    code: 'Su código para firmar «{{title}}» es {{code}}. Es válido durante diez minutos. No se lo diga a nadie.',
    endSubjects: {
      completed: 'Firmado por todos: {{title}}',
      rejected: 'Rechazado: {{title}}',
      cancelled: 'Cancelado: {{title}}',
    },
    ends: {
      completed: 'Todos han firmado «{{title}}». El documento sellado está aquí:',
      rejected: '«{{title}}» ha sido rechazado y no se firmará.',
      cancelled: '{{sender}} ha cancelado «{{title}}». No tiene que hacer nada más.',
    },
  },
}

interface Filled {
  name?: string
  title?: string
  sender?: string
  url?: string
  expiresAt?: string
  code?: string
}

/** Puts values in place of the placeholders that there are; all else in braces stays as it is. */
export function fillText(text: string, { name, title, sender, url, expiresAt, code }: Filled): string {
  const values: Record<string, string | undefined> = {
    ...{ 'recipient.name': name, title, sender, link: url, expiresAt, code },
  }
  return text.replaceAll(/\{\{\s*([\w.]+)\s*\}\}/g, (all, key: string) => values[key] ?? all)
}
