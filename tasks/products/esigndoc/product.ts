import { product } from '#kit'

const esigndoc = product({
  title: 'E-signature',
  summary: 'Documents that people sign on a page of their own, sealed and provable afterwards.',
  problems: {
    PDF_ENCRYPTED: [422, 'The document is encrypted, so nothing can be signed in it. Remove its password first.'],
    PDF_XFA_UNSUPPORTED: [
      422,
      'The document is an XFA form, which only few programs show. Print it to a plain PDF first.',
    ],
    PDF_ALREADY_SIGNED: [422, 'The document has a signature, which would be broken. Send the document without it.'],
  },
})

export default esigndoc

declare module '../../kit/product.ts' {
  interface Products {
    esigndoc: typeof esigndoc
  }
}
