"""Is an account ever held by two, and how long does who asks for one wait?"""
