/** The baton that takes the output of a call. Its parts are as the database knows them. */
export interface BatonPlan {
  batonId: string
  isLog: boolean
  /** Who writes to the baton that there is. */
  by?: object
  /** The baton that is created with the output. */
  create?: NewBaton
}

interface NewBaton {
  durationSeconds: string
  spec: object
}
