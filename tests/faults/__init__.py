"""A crowd at work while everything is killed: does every rule of the protocol still hold?"""
