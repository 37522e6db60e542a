import mark from '../assets/favicon.svg'

export const Logo = () => <img className="logo" src={mark} alt="" width="24" height="24" />
